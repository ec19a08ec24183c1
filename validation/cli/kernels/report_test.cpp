/// The report of a machine: for a bug report, which must not tell who or where its user is.
#include <catch2/catch_test_macros.hpp>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/process/screen.hpp"
#include "validation/cli/check_refusal.hpp"

using namespace minimod;

namespace {

ProgramResult report(const std::string& options, const TemporaryDirectory& folder) {
  return run_program(words("report " + options), folder.path(), [] {
    one_thread();
    setenv("HOME", "/home/somebody", 1);
    setenv("USER", "somebody", 1);
  });
}

/// No name of the user, of the host or of a folder.
void check_private(const std::string& text) {
  CAPTURE(text);
  char host[256] = "";
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  std::vector<std::string> names{"somebody", "/home", MINIMOD_SOURCE_DIR, "/tmp"};
  if (std::string(host).size() > 3) names.emplace_back(host);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(text.find(name) == std::string::npos);
  }
}

}  // namespace

TEST_CASE("A report without bench says what is there, soon, and nobody's name", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result = report("--no-bench --json report.json", folder);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.is_cheap());
  check_private(result.out);
  for (const char* part : {"# minimod report\n", "\n## Build\n\n- minimod: ", "\n## Machine\n\n- processor: ",
                           "\n- memory: ", "\n- system: Linux ", "\n## Devices\n\n- "}) {
    CAPTURE(part);
    CHECK(result.out.find(part) != std::string::npos);
  }
  CHECK(result.out.find("## Measured") == std::string::npos);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= screen_columns);
  const nlohmann::json record = read_json(folder.path() / "report.json");
  check_private(record.dump());
  CHECK(record["schema"] == "minimod.report/1");
  CHECK(record["build"].contains("git_hash"));
  CHECK(record["machine"]["processors_allowed"] > 0);
  CHECK(record["machine"]["memory_bytes"] > 1 << 20);
  CHECK(record["devices"].back()["kind"] == "cpu");
  CHECK(!record["devices"].back().contains("rates"));
}

TEST_CASE("A report measures ceilings and rates of a device in about the time that it is given", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result = report("--device cpu --seconds 1 --json report.json", folder);
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.find("\n## Measured: ") != std::string::npos);
  CHECK(result.out.find("\n- `dram_read`: ") != std::string::npos);
  const nlohmann::json record = read_json(folder.path() / "report.json");
  check_private(record.dump());
  REQUIRE(record["devices"].size() == 1);
  const nlohmann::json& device = record["devices"][0];
  CHECK(device["three_reads_one_write_gb_per_s"] > 0);
  CHECK(device["ceilings"]["fp32_fma"]["rate"] > 0);
  REQUIRE(device["rates"].size() == 2);
  for (const nlohmann::json& row : device["rates"]) {
    if (row.contains("why_not")) continue;  // no memory
    CHECK(row["verified"] == true);
    CHECK(row["gpt_per_s"]["median"] > 0);
    CHECK(row["runs"].size() >= 3);
  }
}

TEST_CASE("Reports of what is not there, or in no time, are refused in a line", "[cli]") {
  const TemporaryDirectory folder;
  const auto refuses = [&](const std::string& options, int exit_code, const std::string& says) {
    check_refusal(report(options, folder), exit_code, says);
    CHECK(folder.entries() == 0);
  };
  for (const char* const seconds : {"0", "-1", "soon", "nan", "1e9"}) {
    refuses(std::string("--seconds ") + seconds, 64, "--seconds");
  }
  refuses("--device gpu", 64, "--device is 'gpu'");
  refuses("--device cuda:99", 69, "");
  refuses("--device hip:0", 69, "--device is 'hip:0', and this program was built without it");
  refuses("--device kokkos", 69, "--device is 'kokkos', and this program was built without it");
  refuses("--force", 64, "--force is given without --json");
  refuses("--kernel gmem", 64, "--kernel");
  refuses("--no-bench --json /dev/null/none.json", 73, "/dev/null");
}
