/// `minimod roofline` as a user runs it, on the CPU.
#include <filesystem>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

const std::string small_roofline =
    "roofline --device cpu --kernel kokkos --grid 40 --pml-width 5 --field random ";

nlohmann::json record_in(const std::filesystem::path& folder) {
  return read_json(folder / "roofline.json");
}

void check_refused(const std::string& arguments, int exit_code, const std::string& says) {
  const TemporaryDirectory folder;
  const auto result = run_program(words(arguments), folder.path());
  CAPTURE(arguments, result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.err.rfind("minimod: error: ", 0) == 0);
  CHECK(result.err.find(says) != std::string::npos);
  CHECK(folder.entries() == 0);
}

}  // namespace

TEST_CASE("roofline leaves a report of each kernel under ceilings of the same run", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(words(small_roofline + "--schedule sequence --no-counters --strict"),
                                  folder.path(), one_thread);
  CAPTURE(result.out, result.err);
  CHECK(result.out.find("mode: analytic: --no-counters") != std::string::npos);
  CHECK(result.out.find("\nfp32_fma:    arithmetic of floats where all is multiply-adds") !=
        std::string::npos);
  CHECK(folder.entries() == 4);
  const auto record = record_in(folder.path());
  bool failed = false;  // fields of 40^3 points may stay in a cache, above the memory's roof
  for (const auto& kernel : record["kernels"]) failed |= !kernel["failed_checks"].empty();
  CHECK(result.exit_code == (failed ? 65 : 0));
  CHECK((result.out.find("(!)") != std::string::npos) == failed);
  CHECK(record["mode"] == "analytic");
  REQUIRE(record["ceilings"].size() == 9);
  for (const auto& ceiling : record["ceilings"]) {
    CHECK(ceiling["least"] > 0);
    CHECK(ceiling["median"] <= ceiling["best"]);
    CHECK(ceiling["runs"] == 20);
  }
  REQUIRE(record["kernels"].size() == 7);
  const auto& inner = record["kernels"][0]["cells"];
  CHECK(record["kernels"][0]["kernel"] == "inner");
  CHECK(inner["points"]["value"] == 30 * 30 * 30);
  CHECK(inner["flop"]["value"] == 42 * 30 * 30 * 30);
  CHECK(inner["flop"]["source"] == "analytic");
  CHECK(inner["seconds"]["source"] == "measured");
  CHECK(inner["seconds_min"]["value"] <= inner["seconds"]["value"]);
  CHECK(inner["gflop_per_s"]["value"].get<double>() ==
        Catch::Approx(42 * 27e3 / inner["seconds"]["value"].get<double>() * 1e-9));
}

TEST_CASE("The whole domain in launches of two steps is one row", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(words("roofline --device cpu --kernel reference --schedule whole --grid 40 "
                                        "--pml-width 5 --field random --no-counters"),
                                  folder.path(), one_thread);
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  const auto record = record_in(folder.path());
  REQUIRE(record["kernels"].size() == 1);
  CHECK(record["kernels"][0]["kernel"] == "whole");
  const auto& cells = record["kernels"][0]["cells"];
  constexpr int inner = 30 * 30 * 30, pml = 40 * 40 * 40 - inner;
  CHECK(cells["points"]["value"] == inner + pml);
  CHECK(cells["flop"]["value"] == 42 * inner + 73 * pml);
  CHECK(cells["dram_bytes"]["value"] == 10 * inner + 14 * pml);
  CHECK(result.out.find("reference whole ") != std::string::npos);
}

namespace {

/// The record of a run where `perf` counts what `body` says of $steps.
nlohmann::json record_with_perf(const std::string& body) {
  const TemporaryDirectory folder, tools;
  // The steps are what follows the colon of the last argument.
  const std::string perf =
      tools.write("perf",
                  "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'perf version 6 (fake)'; exit; }\n"
                  "for last; do :; done\nsteps=${last#*:}\n[ \"$steps\" = true ] && steps=1\n" +
                      body);
  std::filesystem::permissions(perf, std::filesystem::perms::owner_all);
  const auto result = run_program(words(small_roofline), folder.path(), [&] {
    one_thread();
    setenv("PATH", (tools.path().string() + ":/usr/bin:/bin").c_str(), 1);
  });
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  return record_in(folder.path());
}

}  // namespace

TEST_CASE("roofline is analytic where perf counts nothing of the program", "[cli]") {
  const auto record =
      record_with_perf("[ $steps = 1 ] && echo '1000,,instructions:u,1,100.00,,' >&2 || exit 1\n");
  CHECK(record["mode"] == "analytic");
  CHECK(record["perf_a_point"].empty());
  CHECK(record["notes"].dump().find("perf counted nothing") != std::string::npos);
}

TEST_CASE("roofline takes counters from perf where it counts", "[cli]") {
  const auto record = record_with_perf(
      "echo \"${steps}000,,instructions:u,1,100.00,,\" >&2\necho '<not supported>,,cycles,0,100.00,,' >&2\n");
  CHECK(record["mode"] == "counters");
  CHECK(record["perf_a_point"]["kokkos"].size() == 1);
  CHECK(record["perf_a_point"]["kokkos"]["instructions"].get<double>() ==
        Catch::Approx(1000.0 / (40 * 40 * 40)));
}

TEST_CASE("roofline refuses before it measures", "[cli]") {
  check_refused("roofline --output /dev/null/nowhere", 73, "nowhere");
  check_refused("roofline --kernel nosuch --device cpu", 64, "kokkos");
  check_refused("roofline --kernel tma_* --device cpu", 69, "needs a GPU");
  check_refused("roofline --device cpu --grid 40000", 71, "--grid");
  check_refused("roofline --device cpu --boundary cpml", 64, "--boundary");
  check_refused("roofline --steps 3", 64, "--steps");
  check_refused("roofline --profile-range 5", 64, "A:B");
  check_refused("roofline --profile-range 5:5", 64, "--profile-range");
  check_refused("--grid 30 --steps 10 --warmup 10", 64, "--warmup 10");
  check_refused("--grid 30 --steps 10 --profile-range 3:11", 64, "--profile-range");
  check_refused("bench --warmup -1", 64, "--warmup");
}

TEST_CASE("A report's folder that may not be written is refused before it measures", "[cli]") {
  const TemporaryDirectory folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::create_directory(folder.path() / "closed");
  std::filesystem::permissions(folder.path() / "closed",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto result = run_program(words(small_roofline + "--output closed"), folder.path(), [] {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(125);
  });
  CAPTURE(result.err);
  CHECK(result.exit_code == 77);
  CHECK(result.err.find("cannot create 'closed/table3.csv': Permission denied") != std::string::npos);
  CHECK(result.out.empty());
  std::filesystem::permissions(folder.path() / "closed", std::filesystem::perms::owner_all);
}

TEST_CASE("With --profile-range roofline runs those steps for a profiler and writes nothing", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(words(small_roofline + "--profile-range 3:5"), folder.path(), one_thread);
  CHECK(result.exit_code == 0);
  CHECK(result.out == "kokkos: profiler on for steps 3 to 4\n");
  CHECK(folder.entries() == 0);
}

TEST_CASE("A run with warm-up and profiled steps gives the same gather", "[cli]") {
  const TemporaryDirectory folder;
  const std::string run = "--device cpu --grid 40 --pml-width 5 --steps 20 --json run.json --force ";
  CHECK(run_program(words(run), folder.path(), one_thread).exit_code == 0);
  const auto first = read_json(folder.path() / "run.json")["result"];
  CHECK(run_program(words(run + "--warmup 7 --profile-range 9:11"), folder.path(), one_thread).exit_code ==
        0);
  const auto second = read_json(folder.path() / "run.json")["result"];
  CHECK(first["max"] == second["max"]);
  // The rate is that of the 13 steps after the warm-up.
  CHECK(second["gpt_per_s"].get<double>() * second["seconds"].get<double>() ==
        Catch::Approx(13 * 40 * 40 * 40 * 1e-9));
}

TEST_CASE("Kokkos Tools see the step, the launch and the shape of every run", "[cli]") {
  const TemporaryDirectory folder;
  const auto result = run_program(
      words("--device cpu --grid 30 --pml-width 5 --steps 1 --schedule sequence"), folder.path(), [] {
        one_thread();
        setenv("KOKKOS_PROFILE_LIBRARY", MINIMOD_REGION_TOOL, 1);  // Kokkos 3
        setenv("KOKKOS_TOOLS_LIBS", MINIMOD_REGION_TOOL, 1);       // Kokkos 4 and newer
      });
  CHECK(result.exit_code == 0);
  std::string expected = "step\n";
  for (const char* launch : {"inner", "top", "bottom", "front", "back", "left", "right"}) {
    expected += std::string("  ") + launch + "\n    kokkos\n";
  }
  CAPTURE(result.err);
  CHECK(result.err.find(expected) != std::string::npos);
}
