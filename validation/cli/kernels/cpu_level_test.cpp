/// The levels of the processor: the same bits at each, and which one a run says it took.
#include "kernels/host/cpu_level.hpp"

#include <cstdlib>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

ProgramResult run_at(const std::string& level, const std::string& arguments,
                     const std::filesystem::path& folder) {
  return ProgramRun(words(arguments), folder, [&] { setenv("MINIMOD_CPU_LEVEL", level.c_str(), 1); }).wait();
}

}  // namespace

TEST_CASE("A run gives the same bits at every level of the processor", "[cli]") {
  const TemporaryDirectory folder;
  for (const std::string kernel : {"kokkos", "reference"}) {
    for (const std::string options : {"--decomposition seven", "--decomposition one", "--boundary cpml"}) {
      CAPTURE(kernel, options);
      Reals expected;
      for (const CpuLevel level : {CpuLevel::v3, CpuLevel::v4}) {
        if (level > cpu_level_of_machine()) continue;
        const std::string name = cpu_level_name(level);
        CAPTURE(name);
        const ProgramResult run =
            run_at(name,
                   "--grid 45,37,33 --pml-width 5 --steps 40 --force --json run.json --kernel " + kernel +
                       ' ' + options,
                   folder.path());
        CAPTURE(run.err);
        REQUIRE(run.exit_code == 0);
        const auto record = nlohmann::json::parse(std::ifstream(folder.path() / "run.json"));
        CHECK(record["device"]["cpu_level"] == name);
        CHECK(run.out.find(" threads" + (name.empty() ? "" : ", " + name) + '\n') != std::string::npos);
        const Reals traces = read_gather(folder.path() / "shot_gather.h5").traces;
        if (expected.empty()) expected = traces;
        CHECK(traces == expected);
      }
    }
  }
}

TEST_CASE("A level that nobody knows is refused", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult run = run_at("v3", "info", folder.path());
  CHECK(run.exit_code == 64);
  CHECK(run.err == "minimod: error: MINIMOD_CPU_LEVEL is 'v3'; give x86-64-v3 or x86-64-v4\n");
}
