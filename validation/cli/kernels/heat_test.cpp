/// minimod heat, as a user calls it.
#include <algorithm>
#include <csignal>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/check_refusal.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

void check_heat_refused(const std::string& arguments, int exit_code, const std::string& says) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(words("heat " + arguments), folder.path());
  CAPTURE(arguments);
  check_refusal(result, exit_code, says);
  CHECK(result.out.empty());
  CHECK(folder.entries() == 0);
}

}  // namespace

TEST_CASE("heat leaves a record of every kernel", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      words("heat --emulate --kernel all --grid 45,31 --size 2,1 --sides 10,20,30,40 --iterations 5 "
            "--repeats 2 --precision double --json record.json"),
      folder.path());
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = read_json(folder.path() / "record.json");
  CHECK(record["schema"] == "minimod.heat/1");
  CHECK(record["problem"]["n"] == nlohmann::json({45, 31}));
  CHECK(record["problem"]["sides_celsius"]["north"] == 40);
  REQUIRE(record["kernels"].size() == 13);
  int iterations = 0;
  for (const auto& kernel : record["kernels"]) {
    CAPTURE(kernel.dump());
    CHECK(kernel["converged"] == true);
    CHECK(kernel["error"] < 1e-3);
    CHECK(kernel["mcell_per_s"]["min"] <= kernel["mcell_per_s"]["max"]);
    if (kernel["name"] == "sequential") continue;
    if (iterations == 0) iterations = kernel["iterations"];
    CHECK(kernel["iterations"] == iterations);
  }
}

TEST_CASE("heat refuses what does not work in one line, before it computes", "[cli]") {
  check_heat_refused("--grid 0,5", 64, "--grid");
  check_heat_refused("--grid 5", 64, "coarse, medium, fine or NX,NY");
  check_heat_refused("--grid 5,5,5", 64, "NX,NY");
  check_heat_refused("--grid 2000000,5", 64, "--grid");
  check_heat_refused("--grid 1e3,5", 64, "--grid");
  check_heat_refused("--device cpu --grid 1000000,1000000", 71, "GiB are free");
  check_heat_refused("--device cpu --precision double --grid 1000000,1000000", 71, "take a smaller --grid");
  check_heat_refused("--size 1,0", 64, "--size");
  check_heat_refused("--size 1e300,1e-300", 64, "times as long as it is high");
  check_heat_refused("--sides 1,2,3", 64, "WEST,EAST,SOUTH,NORTH");
  check_heat_refused("--sides 1,2,3,nan", 64, "--sides");
  check_heat_refused("--sides 1,2,3,1e30", 64, "at most");
  check_heat_refused("--omega 2", 64, "below 2");
  check_heat_refused("--omega -1", 64, "--omega");
  check_heat_refused("--tolerance 0", 64, "--tolerance");
  check_heat_refused("--tolerance 1e-9", 64, "take --precision double");
  check_heat_refused("--precision half", 64, "single or double");
  check_heat_refused("--iterations 0", 64, "--iterations");
  check_heat_refused("--kernel partial_sharing --emulate", 64, "partial_shared_16x16");
  check_heat_refused("--kernel full_shared --device cpu", 64, "--emulate");
  check_heat_refused("--kernel kokkos,", 64, "no kernel of a plate");
  check_heat_refused("--emulate --device cuda", 64, "give one of them");
  check_heat_refused("--emulate --tables", 64, "tell nothing of speed");
  check_heat_refused("--device cuda:0,1", 64, "several GPUs");
  check_heat_refused("--json nowhere/record.json", 73, "nowhere");
}

TEST_CASE("heat ends at a signal and leaves nothing", "[cli]") {
  const TemporaryDirectory folder;
  ProgramRun run(words("heat --device cpu --grid 3000,3000 --kernel sequential --json record.json"),
                 folder.path(), one_thread);
  run.wait_for_handlers();
  usleep(300'000);
  run.send(SIGTERM);
  const ProgramResult result = run.wait();
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 75);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(!std::filesystem::exists(folder.path() / "record.json"));
}
