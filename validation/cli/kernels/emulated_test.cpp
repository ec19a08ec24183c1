/// Commands that emulate a GPU's threads say for how long before they do.
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

/// Stderr of the command when it has said for how long threads are emulated, or after 30 s. The command is
/// stopped then.
std::string said_until_emulated(const std::string& command, const TemporaryDirectory& folder) {
  ProgramRun run(words(command), folder.path(),
                 [&] { setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1); });
  std::string said;
  for (int tenth = 0; tenth < 300 && said.find("steps take less") == std::string::npos; ++tenth) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ostringstream text;
    text << std::ifstream(folder.path() / "stderr.txt").rdbuf();
    said = text.str();
  }
  run.send(SIGTERM);
  static_cast<void>(run.wait());
  return said;
}

}  // namespace

TEST_CASE("Threads that are emulated for long are announced before they are", "[cli]") {
  const TemporaryDirectory folder;
  const auto check_announced = [&](const std::string& command, const std::string& duration) {
    const std::string said = said_until_emulated(command, folder);
    CAPTURE(command, said);
    CHECK(said.find("threads are emulated one by one, which takes about " + duration + " here") !=
          std::string::npos);
  };
  check_announced(
      "stencil run seven_point --kernel tutorial_tiled_32x4x4 --grid 256 --device cpu --unverified", "50 s");
  check_announced("--grid 40 --pml-width 10 --steps 1000 --kernel st_smem_8x8 --emulate", "40 s");
  check_announced("verify energy --kernel st_smem_8x8 --emulate", "2 min");
  check_announced(
      "--grid 40 --pml-width 10 --steps 20 --kernel st_smem_8x8 --emulate "
      "--sources line:100,300,100:300,300,100:100",
      "80 s");
}

TEST_CASE("The tutorial's first command without a GPU is no long one", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult run =
      run_program(words("stencil run seven_point --kernel tutorial_tiled_32x4x4 --device cpu"), folder.path(),
                  [&] { setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1); });
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
}
