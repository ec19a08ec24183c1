/// The threads of the CPU: how many, and that those which wait leave the cores to others.
#include "src/base/process/threads.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
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

/// Time for which two runs at once keep cores busy, s.
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

TEST_CASE("The runtime is loaded once, and hears how its threads wait where nothing is said of it", "[cli]") {
  const TemporaryDirectory folder;
  const auto spins_with = [&](const char* name, const char* value) {
    const auto say = [&] {
      for (const char* const unsaid : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_PLACES", "OMP_PROC_BIND"})
        unsetenv(unsaid);
      setenv(name, value, 1);
      setenv("OMP_DISPLAY_ENV", "verbose", 1);  // the runtime's word each time that it is loaded
    };
    const std::string err = ProgramRun({"--version"}, folder.path(), say).wait().err;
    CAPTURE(name, value, err);
    const std::string begin = "ENVIRONMENT BEGIN", spins = "GOMP_SPINCOUNT = '";
    CHECK(err.find(begin) != std::string::npos);
    CHECK(err.find(begin, err.find(begin) + 1) == std::string::npos);
    const std::size_t at = err.find(spins);  // GNU's runtime alone says it
    return at == std::string::npos
               ? ""
               : err.substr(at + spins.size(), err.find('\'', at + spins.size()) - at - spins.size());
  };
  const std::string unsaid = spins_with("OMP_PROC_BIND", "false");
  if (unsaid.empty()) SKIP("not GNU's OpenMP");
  CHECK(unsaid == "1000");
  CHECK(spins_with("OMP_PLACES", "cores") == "1000");
  CHECK(spins_with("OMP_PROC_BIND", "spread") == "1000");
  CHECK(spins_with("GOMP_SPINCOUNT", "7") == "7");
  CHECK(spins_with("OMP_WAIT_POLICY", "passive") == "0");
}

TEST_CASE("Where binding is asked for, the threads stand on all cores, also of a process that is started",
          "[cli]") {
  if (available_threads() < 2) SKIP("one core");
  const TemporaryDirectory folder;
  const std::string run = "--grid 40 --pml-width 5 --steps 20 --kernel kokkos --device cpu --force ";
  for (const auto& [name, value] :
       {std::pair{"OMP_PROC_BIND", "true"}, {"OMP_PROC_BIND", "spread"}, {"OMP_PLACES", "threads"}}) {
    for (const char* const shots : {"", "--sources line:100,100,100:200,100,100:2 --output survey"}) {
      const ProgramResult result = run_program(words(run + shots), folder.path(), [&] {
        for (const char* const unsaid : {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND"}) unsetenv(unsaid);
        setenv(name, value, 1);
        setenv("OMP_DISPLAY_AFFINITY", "true", 1);
        setenv("OMP_AFFINITY_FORMAT", "bound to %A", 1);
      });
      CAPTURE(name, value, shots, result.out, result.err);
      CHECK(result.exit_code == 0);
      std::set<std::string> places;
      std::istringstream err(result.err);
      for (std::string line; std::getline(err, line);) {
        if (line.starts_with("bound to ")) places.insert(line);
      }
      CHECK(places.size() == static_cast<std::size_t>(available_threads()));
    }
  }
}

TEST_CASE("Two runs that share all cores do not keep them busy with waiting", "[cli]") {
  const std::string run = "--grid 80 --pml-width 8 --steps 150 --kernel kokkos --device cpu";
  const double alone = busy_with_two(run + " --threads 1");
  double least = busy_with_two(run);  // others on the machine slow runs down, and make none faster
  for (int i = 0; i < 2 && least >= 2 * alone; ++i) least = std::min(least, busy_with_two(run));
  CHECK(least < 2 * alone);
}
