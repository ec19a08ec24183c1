/// `minimod verify` as a user calls it. The cases themselves are tests of their own.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {}  // namespace

TEST_CASE("verify lists its cases and refuses others", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult list = run_program(words("verify --list"), folder.path());
  CHECK(list.exit_code == 0);
  CHECK(list.out.find("stability ") != std::string::npos);
  const ProgramResult unknown = run_program(words("verify stabilty --device cpu"), folder.path());
  CHECK(unknown.exit_code == 64);
  CHECK(unknown.err.find("did you mean stability") != std::string::npos);
  CHECK(std::count(unknown.err.begin(), unknown.err.end(), '\n') == 1);
  const ProgramResult of_order_8 =
      run_program(words("verify two_layers --order 4 --device cpu"), folder.path());
  CHECK(of_order_8.exit_code == 64);
  CHECK(of_order_8.err.find("the case two_layers is given with --order 4") != std::string::npos);
  CHECK(folder.entries() == 0);
}

TEST_CASE("verify writes every figure into its record, and curves for the launcher", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      words("verify stability energy --device cpu --json record.json --plot pictures"), folder.path());
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = read_json(folder.path() / "record.json");
  CHECK(record["schema"] == "minimod.verify/1");
  CHECK(record["device"]["kind"] == "cpu");
  CHECK(record["build"].contains("git_hash"));
  REQUIRE(record["cases"].size() == 4);
  for (const auto& figure : record["cases"]) {
    CAPTURE(figure.dump());
    CHECK(figure["passed"] == true);
    CHECK(figure["kernel"].get<std::string>().starts_with("kokkos"));  // a schedule may stand behind the name
    CHECK(figure["value"].is_number());
    CHECK(figure["expected"].is_number());
    CHECK(figure["tolerance"].is_number());
    const double value = figure["value"], expected = figure["expected"];
    if (figure["rule"] == "at most") CHECK(value <= expected);
    if (figure["rule"] == "at least") CHECK(value >= expected);
  }
  const auto curves = read_json(folder.path() / "pictures" / "energy.json");
  CHECK(curves["schema"] == "minimod.verify.curves/1");
  const auto& curve = curves["pictures"][0]["curves"][0];
  CHECK(curve["x"].size() > 10);
  CHECK(curve["x"].size() == curve["y"].size());
}

TEST_CASE("A kernel that does not run here has failed its cases", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result =
      run_program(words("verify stability --kernel tma_ring --device cpu --json record.json"), folder.path());
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("1 of 1 figures failed: stability") != std::string::npos);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.out.find("not run: ") != std::string::npos);
  const auto record = read_json(folder.path() / "record.json");
  REQUIRE(record["cases"].size() == 1);
  CHECK(record["cases"][0]["passed"] == false);
  CHECK(record["cases"][0]["value"].is_null());
  CHECK(record["cases"][0].contains("not_run"));
}
