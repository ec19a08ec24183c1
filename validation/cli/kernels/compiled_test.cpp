/// The program compiles shapes that it was not built with, wherever it stands.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/build_sources.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string small_run = "--grid 25,27,24 --pml-width 4 --steps 5 --force --device cpu ";

/// With a cache of its own.
ProgramResult run_with(const std::string& arguments, const std::filesystem::path& folder,
                       const std::string& compiler = "") {
  return ProgramRun(words(arguments), folder,
                    [&] {
                      one_thread();
                      setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
                      if (!compiler.empty()) setenv("MINIMOD_CXX", compiler.c_str(), 1);
                    })
      .wait();
}

}  // namespace

TEST_CASE("A run emulates a tile that is not built in, to the reference's bits", "[cli]") {
  const TemporaryDirectory folder;
  const auto traces_of = [&](const std::string& arguments) {
    const ProgramResult run = run_with(small_run + arguments, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return read_gather(folder.path() / "shot_gather.h5").traces;
  };
  const auto expected = traces_of("--kernel reference");
  CHECK(traces_of("--emulate --kernel smem_partial_24x6") == expected);

  const ProgramResult none =
      run_with(small_run + "--emulate --kernel smem_partial_24x7", folder.path(), "/nowhere/c++");
  CHECK(none.exit_code == 69);
  CHECK(none.err.find("minimod: error: the kernel smem_partial_24x7 is not built in, and cannot be compiled: "
                      "'/nowhere/c++': No such file or directory; ") != std::string::npos);
}

TEST_CASE("The program compiles without its source tree", "[cli]") {
  const TemporaryDirectory folder;
  const std::string copy = (folder.path() / "minimod").string();
  std::filesystem::copy_file(MINIMOD_PROGRAM, copy);
  const std::string compiler =
      folder.write("compiler", std::string("#!/bin/sh\ncase \"$*\" in *") + MINIMOD_SOURCE_DIR +
                                   "*) exit 1;; esac\nexec " + build_sources().compiler + " \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const auto run_copy = [&](const std::string& arguments) {
    return ProgramRun({}, folder.path(),
                      [&] {
                        setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);
                        setenv("MINIMOD_CXX", compiler.c_str(), 1);
                        execl("/bin/sh", "sh", "-c", (copy + ' ' + arguments).c_str(), nullptr);
                      })
        .wait();
  };
  const ProgramResult run = run_copy(small_run + "--emulate --kernel gmem_5x3x7");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("gmem_5x3x7 (PML), emulated, compiled for this run") != std::string::npos);
}

TEST_CASE("bench measures Jacobi iterations, of named kernels, without a layer", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult bench = run_with(
      "bench --device cpu --grid 24 --steps 2 --repeats 1 --equation jacobi --order 2 --precision double "
      "--kernel reference,gmem_5x3x7,kokkos --json b.json",
      folder.path());
  CAPTURE(bench.out, bench.err);
  CHECK(bench.exit_code == 0);
  CHECK(bench.out.find("jacobi, pml 0") != std::string::npos);
  CHECK(bench.out.find("counted bytes a point: 16") != std::string::npos);
  const auto record = nlohmann::json::parse(std::ifstream(folder.path() / "b.json"));
  for (const int shape : {0, 1}) CHECK(record["shapes"][shape]["error"] == 0);
  for (const char* refused : {"--kernel auto", "--kernel reference --pml-width 3",
                              "--kernel reference --free-surface", "--kernel reference --boundary cpml"}) {
    const ProgramResult result =
        run_with("bench --device cpu --grid 24 --equation jacobi " + std::string(refused), folder.path());
    CAPTURE(refused, result.err);
    CHECK(result.exit_code == 64);
    CHECK(result.is_cheap());
  }
}

TEST_CASE("bench that is stopped keeps what it has measured", "[cli]") {
  const TemporaryDirectory folder;
  const auto stop = [&](const std::string& runs, const std::string& sign) {
    ProgramRun run(
        words("bench --device cpu --kernel reference,kokkos --grid 60 --pml-width 5 --steps 20 --json b.json "
              "--csv b.csv --force --no-energy " +
              runs),
        folder.path(), one_thread);
    for (int look = 0; look < 5000 && run.out().find(sign) == std::string::npos; ++look) usleep(1000);
    run.send(SIGTERM);
    return run.wait();
  };
  const ProgramResult first = stop("--repeats 1000000", "counted bytes");
  CAPTURE(first.err);
  CHECK(first.exit_code == 75);
  CHECK(first.err.find("stopped by a signal") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "b.json"));

  const ProgramResult second = stop("--repeats 40", "%");
  CAPTURE(second.err, second.out);
  CHECK(second.exit_code == 75);
  CHECK(second.err.find("1 of 2 shapes were measured; the record has them") != std::string::npos);
  const auto record = nlohmann::json::parse(std::ifstream(folder.path() / "b.json"));
  CHECK(record["shapes"].size() == 1);
  CHECK(record["shapes"][0]["runs"].size() == 40);
  CHECK(record["not_run"].size() == 1);
  CHECK(record["not_run"][0]["why"] == "stopped by a signal");
  CHECK(std::filesystem::exists(folder.path() / "b.csv"));
}

TEST_CASE("bench, verify and kernels take tiles that are not built in", "[cli]") {
  const TemporaryDirectory folder;
  const ProgramResult bench = run_with("bench --device cpu --grid 24 --kernel gmem_5x3x7", folder.path());
  CHECK(bench.err.find("only with --emulate") != std::string::npos);
  CHECK(bench.err.find("minimod verify kernels proves others with --emulate") != std::string::npos);
  const ProgramResult verify =
      run_with("verify kernels --device cpu --emulate --kernel gmem_5x3x7", folder.path());
  CHECK(verify.exit_code == 0);
  const ProgramResult kernels = run_with("kernels --json --order 4 gmem_5x3x7", folder.path());
  CHECK(kernels.exit_code == 0);
  const auto record = nlohmann::json::parse(kernels.out);
  REQUIRE(record["kernels"].size() == 1);
  CHECK(record["kernels"][0]["threads"] == 105);
  CHECK(record["kernels"][0]["order"] == 4);
}
