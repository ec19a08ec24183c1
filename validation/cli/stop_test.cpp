/// Signals at any moment, and shots that go on.
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/output_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

const std::string long_shot =
    "--device cpu --grid 32 --pml-width 5 --steps 20000 --checkpoint-every 0.05s --output a/s.h5";
constexpr int stopping_signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU};

void one_thread_and_date() {
  one_thread();
  setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
}

std::string bytes_of(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Time of the newer checkpoint; the earliest time where there is none.
fs::file_time_type time_of_checkpoint(const fs::path& folder) {
  auto time = fs::file_time_type::min();
  for (const char* name : {"a/s.checkpoint.0.h5", "a/s.checkpoint.1.h5"}) {
    std::error_code error;
    const auto written = fs::last_write_time(folder / name, error);
    if (!error) time = std::max(time, written);
  }
  return time;
}

}  // namespace

TEST_CASE("A shot that signals stop goes on to the same file", "[cli]") {
  const TemporaryDirectory whole, folder;
  REQUIRE(run_program(words(long_shot), whole.path(), one_thread_and_date).exit_code == 0);
  CHECK(std::distance(fs::directory_iterator(whole.path() / "a"), {}) == 1);
  bool went_on = false;
  for (const int signal : stopping_signals) {
    CAPTURE(signal);
    const auto before = time_of_checkpoint(folder.path());
    ProgramRun run(words(long_shot), folder.path(), one_thread_and_date);
    while (time_of_checkpoint(folder.path()) == before) usleep(1000);
    run.send(signal);
    const ProgramResult result = run.wait();
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == 75);
    CHECK(result.err.find("the same command goes on from there") != std::string::npos);
    CHECK((result.out.find("goes on   after step ") != std::string::npos) == went_on);
    CHECK_FALSE(fs::exists(folder.path() / "a/s.h5"));
    went_on = true;
  }
  // Another shot is refused, and its like goes on.
  for (const auto& [option, says] : {std::pair{" --dt 1e-3", "--dt (s) is "},
                                     {" --order 16", "--order is 8 there"},
                                     {" --precision double", "--precision is \"single\" there"}}) {
    const ProgramResult other = run_program(words(long_shot + option), folder.path(), one_thread_and_date);
    CAPTURE(option, other.err);
    CHECK(other.exit_code == 73);
    CHECK(other.err.find(says) != std::string::npos);
    CHECK(other.err.size() <= 241);
    CHECK(other.out.empty());
  }
  CHECK(run_program(words(long_shot), folder.path(), one_thread_and_date).exit_code == 0);
  CHECK(bytes_of(folder.path() / "a/s.h5") == bytes_of(whole.path() / "a/s.h5"));
  CHECK(std::distance(fs::directory_iterator(folder.path() / "a"), {}) == 1);
}

TEST_CASE("A command that cannot go on ends at once and leaves nothing", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* command :
       {"bench --kernel kokkos --device cpu --grid 200 --steps 100000 --json b.json",
        "verify all --device cpu --json v.json", "--device cpu --grid 40 --output a/b"}) {
    CAPTURE(command);
    ProgramRun run(words(command), folder.path(), one_thread);
    run.wait_for_handlers();
    run.send(SIGTERM);
    const ProgramResult result = run.wait();
    CHECK(result.exit_code == 75);
    CHECK(result.err.find("minimod: error: stopped by a signal") != std::string::npos);
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("A run removes what a dead process left under the name that it takes, and nothing else", "[cli]") {
  const TemporaryDirectory folder;
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  const pid_t zombie = fork();
  if (zombie == 0) _exit(0);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(zombie), &ended, WEXITED | WNOWAIT);  // the zombie's number is not free yet
  const std::string own = temporary_name("shot_gather.h5").filename().string();
  const auto of_process = [&](pid_t process) {
    const std::string number = std::to_string(getpid());
    return std::string(own).replace(own.find(number), number.size(), std::to_string(process));
  };
  const std::string elsewhere = of_process(dead).substr(0, own.size() - 6) + "x.tmp";
  for (const std::string& name :
       {of_process(dead), of_process(zombie), own, elsewhere, std::string(".other.h5.1-00000000.tmp")}) {
    static_cast<void>(folder.write(name, "x"));
  }
  CHECK(run_program(words("--device cpu --grid 30 --pml-width 5 --steps 3"), folder.path(), one_thread)
            .exit_code == 0);
  waitpid(zombie, nullptr, 0);
  CHECK_FALSE(fs::exists(folder.path() / of_process(dead)));
  CHECK_FALSE(fs::exists(folder.path() / of_process(zombie)));
  CHECK(fs::exists(folder.path() / own));  // this process lives
  CHECK(folder.entries() == 4);
}

TEST_CASE("A checkpoint that cannot be written does not end the run", "[cli]") {
  const TemporaryDirectory folder;
  const auto small_files = [] {
    one_thread();
    const rlimit bound{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &bound);
  };
  const ProgramResult result = run_program(
      words("--device cpu --grid 32 --pml-width 5 --steps 600 --checkpoint-every 0.01s --receivers "
            "line:0,0,0:300,0,0:2"),
      folder.path(), small_files);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("no checkpoint after step ") != std::string::npos);
  CHECK(folder.entries() == 1);
}
