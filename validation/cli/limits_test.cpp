/// Limits of the system for a process: files, threads, memory, a stack. Too little ends it in a line with
/// code 71.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <grp.h>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string short_shot = "--grid 30 --pml-width 5 --steps 3 --kernel kokkos --device cpu --force";
const std::string short_survey = short_shot + " --sources line:100,100,100:200,100,100:2 --output survey";

/// With no files open but the first three: who starts the tests may hand on others.
auto limited(decltype(RLIMIT_NOFILE) resource, rlim_t limit) {
  return [resource, limit] {
    for (int file = STDERR_FILENO + 1; file < 256; ++file) close(file);
    const rlimit both{limit, limit};
    setrlimit(resource, &both);
    setenv("OMP_NUM_THREADS", "2", 1);
  };
}

/// One line of an error, behind notes perhaps.
void check_lacks(const ProgramResult& result, const std::string& says) {
  CAPTURE(result.err, says);
  CHECK(result.exit_code == 71);
  const std::size_t error = result.err.find("minimod: error: ");
  REQUIRE(error != std::string::npos);
  CHECK(result.err.find(says, error) != std::string::npos);
  CHECK(std::count(result.err.begin() + static_cast<std::ptrdiff_t>(error), result.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("More threads than Kokkos holds are bounded, which is said once", "[cli]") {
  const TemporaryDirectory folder;
  const auto says_once = [&](const char* variable, const char* threads, const char* said) {
    const auto set = [&] {
      unsetenv("OMP_NUM_THREADS");
      setenv(variable, threads, 1);
    };
    for (const char* const command : {"info", "kernels"}) {
      const ProgramResult result = run_program(words(command), folder.path(), set);
      CAPTURE(variable, threads, command);
      CHECK(result.exit_code == 0);
      CHECK(result.err == said);
    }
  };
  constexpr const char* many = "minimod: 600 threads are asked for, 512 run: Kokkos holds no more\n";
  says_once("OMP_NUM_THREADS", "600", many);
  says_once("OMP_NUM_THREADS", "600,2", many);
  says_once("KOKKOS_NUM_THREADS", "600", many);
  says_once("OMP_NUM_THREADS", "8192",
            "minimod: 8192 threads are asked for, 512 run: Kokkos holds no more\n");
  const ProgramResult survey =
      run_program(words(short_survey), folder.path(), [] { setenv("OMP_NUM_THREADS", "600", 1); });
  CHECK(survey.exit_code == 0);
  CHECK(survey.err.find(many) == survey.err.rfind(many));
}

TEST_CASE("A survey that may open few files ends, with all shots or code 71", "[cli]") {
  int refused = 0;
  for (rlim_t files = 4; files <= 36; files += files < 20 ? 1 : 4) {
    const TemporaryDirectory folder;
    const ProgramResult result =
        run_program(words(short_survey), folder.path(), limited(RLIMIT_NOFILE, files));
    CAPTURE(files, result.err);
    if (result.exit_code == 0) {
      CHECK(std::filesystem::exists(folder.path() / "survey/shots/shot_00002.h5"));
      continue;
    }
    ++refused;
    check_lacks(result, "(ulimit -n)");
  }
  CHECK(refused > 0);
  CHECK(refused < 21);
}

TEST_CASE("Threads that cannot be started end any command with code 71", "[cli]") {
  const TemporaryDirectory folder;
  const auto alone = [] {
    constexpr uid_t nobody = 65534;
    limited(RLIMIT_NPROC, 1)();
    if (getuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0))
      _exit(126);
  };
  for (const std::string& command : {short_shot, short_survey, std::string("info"), std::string("kernels"),
                                     std::string("verify stability"), std::string("section --grid 30")}) {
    const ProgramResult result = run_program(words(command), folder.path(), alone);
    if (result.exit_code == 127) SKIP("the program is closed to other users");
    check_lacks(result, "cannot start 2 threads: ");
  }
  const auto with_stacks = [] {
    setenv("OMP_NUM_THREADS", "2", 1);
    setenv("OMP_STACKSIZE", "4000000G", 1);
  };
  check_lacks(run_program({"info"}, folder.path(), with_stacks), "cannot start 2 threads: ");
  CHECK(folder.entries() == 0);
}

TEST_CASE("Too small a stack and too little memory for the libraries are refused at once", "[cli]") {
  const TemporaryDirectory folder;
  for (const std::string& command : {short_shot, short_survey, std::string("info")}) {
    check_lacks(run_program(words(command), folder.path(), limited(RLIMIT_STACK, 128 << 10)),
                "the stack is limited to 128 KiB, 256 are needed");
    check_lacks(run_program(words(command), folder.path(), limited(RLIMIT_DATA, 20 << 20)),
                "limits on memory");
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("A worker that does not know its survey ends with a line", "[cli]") {
  const TemporaryDirectory folder;
  const std::string of_this = std::to_string(getpid()) + " cpu:0";
  for (const std::string& worker : {std::string("junk"), std::string(), std::string("0 cpu:0"), of_this}) {
    const auto set = [&] { setenv("MINIMOD_WORKER", worker.c_str(), 1); };
    const ProgramResult result = run_program(words(short_shot), folder.path(), set);
    CAPTURE(worker, result.err);
    CHECK(result.exit_code == 64);
    CHECK(result.err.find("MINIMOD_WORKER") != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(folder.entries() == 0);
}
