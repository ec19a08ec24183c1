/// Environments that the program is started in: variables that are wrong, a stdout that takes nothing or is
/// not there.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string small_shot =
    "--grid 30 --pml-width 5 --steps 3 --kernel kokkos --device cpu --threads 1 --force";

/// One line on stderr that says it.
void check_line(const ProgramResult& result, int exit_code, const std::string& says) {
  CAPTURE(result.err, says);
  CHECK(result.exit_code == exit_code);
  CHECK(result.err.starts_with("minimod: error: "));
  CHECK(result.err.find(says) != std::string::npos);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("A variable that is no number is refused in one line", "[cli]") {
  const TemporaryDirectory folder;
  const auto refuses = [&](const std::string& name, const std::string& value) {
    const auto set = [&] { setenv(name.c_str(), value.c_str(), 1); };
    check_line(run_program(words(small_shot), folder.path(), set), 64, name + " '" + value + "' is ");
    CHECK(folder.entries() == 0);
  };
  for (const char* const value : {"foo", "", "0", "-3", "2x", "1,", "99999999999"})
    refuses("OMP_NUM_THREADS", value);
  for (const char* const value : {"foo", "", "0", "-3", "2x"}) refuses("KOKKOS_NUM_THREADS", value);
  for (const char* const name : {"KOKKOS_NUMA", "KOKKOS_DEVICE_ID", "KOKKOS_NUM_DEVICES",
                                 "KOKKOS_RAND_DEVICES", "KOKKOS_SKIP_DEVICE"}) {
    refuses(name, "foo");
  }
  for (const char* const value : {"abc", "", "-1", "1.5", "99999999999999"})
    refuses("SOURCE_DATE_EPOCH", value);
  for (const char* const value : {"1", " 1 ", "1,1"}) {
    const auto set = [&] { setenv("OMP_NUM_THREADS", value, 1); };
    const ProgramResult result = run_program({"kernels"}, folder.path(), set);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
  }
}

TEST_CASE("What is printed where there is no room ends with code 74", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* const command :
       {"info --json", "info", "kernels", "kernels --json", "stencil list", "survey --rate 1 --grid 60",
        "--help", "bench --help", "--version", "verify --list",
        "bench --kernel kokkos --grid 40 --pml-width 5 --steps 2"}) {
    CAPTURE(command);
    const auto full = [] { REQUIRE(freopen("/dev/full", "w", stdout) != nullptr); };
    check_line(run_program(words(command), folder.path(), full), 74, "stdout");
  }
}

TEST_CASE("A stdout that nobody reads or that is closed ends nothing", "[cli]") {
  const TemporaryDirectory folder;
  const auto unread = [] {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(126);
    close(ends[0]);
    close(ends[1]);
  };
  for (const char* const command : {"info --json", "kernels", "--help"}) {
    CHECK(run_program(words(command), folder.path(), unread).exit_code == 0);
  }
  const auto closed = [] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
  };
  CHECK(run_program(words(small_shot), folder.path(), closed).exit_code == 0);
  const std::filesystem::path gather = folder.path() / "shot_gather.h5";
  const hdf5::Handle file = hdf5::open_for_reading(gather);
  CHECK(hdf5::shape_of(hdf5::open_float_dataset(file, "traces", gather)).dims[1] == 4);
}
