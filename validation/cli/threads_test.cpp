/// The threads of the CPU: how many, and that those which wait leave the cores to others.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
using nlohmann::json;

namespace {

/// Seconds that all children that have ended kept cores busy.
double busy_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What two runs at once keep cores busy for, s.
double busy_with_two(const std::string& arguments) {
  const TemporaryDirectory one, other;
  const double before = busy_seconds();
  ProgramRun first(words(arguments), one.path()), second(words(arguments), other.path());
  CHECK(first.wait().exit_code == 0);
  CHECK(second.wait().exit_code == 0);
  return busy_seconds() - before;
}

}  // namespace

TEST_CASE("The number of threads is what --threads says", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--grid 30 --pml-width 5 --steps 3 --kernel kokkos --json run.json --threads ";
  REQUIRE(run_program(words(run + "1"), folder.path()).exit_code == 0);
  const json record = json::parse(std::ifstream(folder.path() / "run.json"));
  CHECK(record["device"]["threads"] == 1);
  for (const char* const wrong : {"0", "-1", "many", "1000000"}) {
    const auto refused = run_program(words(run + wrong), folder.path());
    CHECK(refused.exit_code == 64);
    CHECK(refused.err.find("--threads") != std::string::npos);
  }
}

TEST_CASE("The program starts itself anew where nothing is said of how threads wait", "[cli]") {
  const TemporaryDirectory folder;
  const auto starts = [&](const char* name, const char* value) {
    const auto say = [&] {
      for (const char* const unsaid : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_PLACES"}) unsetenv(unsaid);
      setenv(name, value, 1);
      setenv("OMP_DISPLAY_ENV", "true", 1);  // the runtime's word each time that it is loaded
    };
    const std::string err = ProgramRun({"--version"}, folder.path(), say).wait().err;
    int found = 0;
    for (auto at = err.find("ENVIRONMENT BEGIN"); at != std::string::npos;
         at = err.find("ENVIRONMENT BEGIN", at + 1))
      ++found;
    return found;
  };
  CHECK(starts("OMP_PROC_BIND", "false") == 2);
  CHECK(starts("OMP_PLACES", "cores") == 2);
  CHECK(starts("GOMP_SPINCOUNT", "1000") == 1);  // as the launcher has it
  CHECK(starts("OMP_WAIT_POLICY", "passive") == 1);
}

TEST_CASE("Two runs that share all cores do not keep them busy with waiting", "[cli]") {
  const std::string run = "--grid 80 --pml-width 8 --steps 150 --kernel kokkos --device cpu";
  const double alone = busy_with_two(run + " --threads 1");
  double least = busy_with_two(run);  // others on the machine slow runs down, and make none faster
  for (int i = 0; i < 2 && least >= 2 * alone; ++i) least = std::min(least, busy_with_two(run));
  CHECK(least < 2 * alone);
}
