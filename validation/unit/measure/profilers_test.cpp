/// Profilers: their counts of a step, and those that are not there, hang or break (scripts in their place).
#include "src/roofline/profilers.hpp"

#include <chrono>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/roofline/child_process.hpp"
#include "src/roofline/launch_order.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

/// A program of a test's own.
std::string script(const TemporaryDirectory& folder, const std::string& name, const std::string& body) {
  const std::string file = folder.write(name, "#!/bin/sh\n" + body);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

/// An ncu that answers --version and otherwise does `body`, with the log file's name in $log.
std::string fake_ncu(const TemporaryDirectory& folder, const std::string& body) {
  return script(folder, "ncu",
                "[ \"$1\" = --version ] && { echo 'Version 2025.3.1.0 (fake)'; exit; }\n"
                "while [ $# -gt 0 ]; do [ \"$1\" = --log-file ] && log=$2; shift; done\n" +
                    body);
}

std::string recorded(const std::string& name) {
  return MINIMOD_SOURCE_DIR "/validation/unit/measure/recorded/" + name;
}

}  // namespace

TEST_CASE("The launches of a step and the parts of the report", "[unit]") {
  const std::vector<RegionLaunch> launches = {{"inner", Formula::inner, {{0, 0, 0}, {2, 2, 2}}, {}},
                                              {"top", Formula::pml, {{0, 0, 0}, {2, 2, 1}}, {}},
                                              {"bottom", Formula::pml, {{0, 0, 0}, {0, 0, 0}}, {}},
                                              {"left", Formula::pml, {{0, 0, 0}, {1, 2, 2}}, {}}};
  using Names = std::vector<std::string>;
  const LaunchOrder in_sequence = sequence().order_of(launches);
  CHECK(in_sequence.parts == Names{"inner", "top", "left"});
  CHECK(in_sequence.steps == 1);
  CHECK(beside().order_of(launches).parts == Names{"step", "step", "step"});
  const LaunchOrder of_whole = whole().order_of({{"whole", Formula::mixed, {{0, 0, 0}, {2, 2, 2}}, {}}});
  CHECK(of_whole.parts == Names{"whole"});
  CHECK(of_whole.steps == 2);

  const auto counted = [](double bytes, double share) {
    return KernelCounters{"", {{"dram__bytes_read.sum", bytes}, {"occupancy.pct", share}}};
  };
  // Two steps of three launches: sums for a step, shares as a mean.
  const std::vector<KernelCounters> two = {counted(10, 50), counted(1, 20), counted(5, 5),
                                           counted(30, 70), counted(3, 40), counted(7, 5)};
  CHECK(readings_of("inner", in_sequence, two).at("dram__bytes_read.sum") == 20);
  CHECK(readings_of("inner", in_sequence, two).at("occupancy.pct") == 60);
  CHECK(readings_of("top", in_sequence, two).at("dram__bytes_read.sum") == 2);
  // A period of five launches is two steps.
  const LaunchOrder pairs{{"pml", "pml", "inner", "pml", "pml"}, 2};
  const std::vector<KernelCounters> pair = {counted(1, 1), counted(2, 2), counted(100, 9), counted(3, 3),
                                            counted(4, 6)};
  CHECK(readings_of("inner", pairs, pair).at("dram__bytes_read.sum") == 50);
  CHECK(readings_of("pml", pairs, pair).at("dram__bytes_read.sum") == 5);
  CHECK(readings_of("pml", pairs, pair).at("occupancy.pct") == 3);
}

TEST_CASE("A sum without all its launches is none", "[unit]") {
  const LaunchOrder pair{{"pml", "inner", "pml"}, 2};
  const KernelCounters whole{"", {{"dram__bytes_read.sum", 6}, {"launch__grid_size", 4}}},
      lacking{"", {{"launch__grid_size", 8}}};
  const std::vector<KernelCounters> launches{whole, lacking, lacking};
  const CounterReadings pml = readings_of("pml", pair, launches);
  CHECK(pml.count("dram__bytes_read.sum") == 0);
  CHECK(pml.at("launch__grid_size") == 6);
}

TEST_CASE("The launches of several shapes in one run of the profiler", "[unit]") {
  const LaunchOrder one{{"inner", "top"}, 1}, pair{{"pml", "inner", "pml"}, 2};
  const std::vector<LaunchOrder> sets{one, pair, one};
  const std::vector<KernelCounters> all(4 + 3 + 4), too_many(12);
  const auto sizes = [&](std::size_t delivered, bool cut_off) {
    std::vector<std::size_t> found;
    for (const auto& launches : launches_of_each(sets, 2, std::span(all).first(delivered), cut_off)) {
      found.push_back(launches.size());
    }
    return found;
  };
  using Sizes = std::vector<std::size_t>;
  CHECK(sizes(11, false) == Sizes{4, 3, 4});
  CHECK(launches_of_each(sets, 2, all, false)[2].data() == &all[7]);
  CHECK(sizes(10, true) == Sizes{4, 3, 2});  // a whole step of the last
  CHECK(sizes(10, false) == Sizes{4, 3, 0});
  CHECK(sizes(6, true) == Sizes{4, 0, 0});  // half a pair is nothing
  CHECK(sizes(3, true) == Sizes{2, 0, 0});
  CHECK(sizes(0, true) == Sizes{0, 0, 0});
  for (const auto& launches : launches_of_each(sets, 2, too_many, false)) CHECK(launches.empty());
}

TEST_CASE("The injection of the source is no part of a step", "[unit]") {
  CHECK(is_part({"void code_shape<Gmem<InnerUpdate<float, 4>, 8, 8, 8>, WaveArgs<float, 4>>(T2)", {}}));
  CHECK(is_part({"tma_whole(WholeArgs<HopperBlock>)", {}}));
  CHECK_FALSE(is_part({"inject_sample(float *, SourceNodes, const float *)", {}}));
}

TEST_CASE("A child's output, exit code and time limit", "[unit]") {
  const TemporaryDirectory folder;
  const ChildResult result = run_child({script(folder, "speak", "echo out; echo err >&2; exit 3\n")}, 10);
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.timed_out);
  CHECK(result.output == "out\nerr\n");
  const auto began = std::chrono::steady_clock::now();
  // exec: the shell itself becomes the sleeper; without it, a grandchild holds the pipe open.
  for (const char* body :
       {"echo before; exec sleep 30\n", "echo before; trap '' INT; sleep 30; sleep 30\n"}) {
    const ChildResult slept = run_child({script(folder, "sleep", body)}, 0.3);
    CHECK(slept.timed_out);
    CHECK(slept.exit_code < 0);
    CHECK(slept.output == "before\n");
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
  CHECK(outcome_of([&] { static_cast<void>(run_child({"/nowhere/ncu"}, 1)); }).kind ==
        ErrorKind::unavailable);
}

TEST_CASE("The counter test says why there are no counters, and the fix", "[unit]") {
  const TemporaryDirectory folder;
  const CounterAccess none = probe_ncu("", {"true"}, 5);
  CHECK_FALSE(none.usable);
  CHECK(none.why.find("no ncu") != std::string::npos);
  CHECK(none.fix.find("Nsight Compute") != std::string::npos);

  const CounterAccess denied = probe_ncu(
      fake_ncu(folder,
               "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >$log; exit 1\n"),
      {"true"}, 5);
  CHECK_FALSE(denied.usable);
  CHECK(denied.version.find("2025.3.1.0") != std::string::npos);
  CHECK(denied.why.find("ERR_NVGPUCTRPERM") != std::string::npos);
  CHECK(denied.fix.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  CHECK(denied.fix.find("--cap-add=SYS_ADMIN") != std::string::npos);

  const CounterAccess hanging = probe_ncu(fake_ncu(folder, "exec sleep 30\n"), {"true"}, 0.3);
  CHECK_FALSE(hanging.usable);
  CHECK(hanging.why.find("0.3 s") != std::string::npos);

  const CounterAccess failed_run =
      probe_ncu(fake_ncu(folder,
                         "echo 'minimod: error: no memory is left'; echo '==ERROR== The application returned "
                         "an error code (71)'; exit 1\n"),
                {"true"}, 5);
  CHECK(failed_run.why.find("no memory is left") != std::string::npos);

  const CounterAccess broken =
      probe_ncu(fake_ncu(folder, "echo '==ERROR== LibraryNotLoaded'; exit 9\n"), {"true"}, 5);
  CHECK(broken.why.find("LibraryNotLoaded") != std::string::npos);
  CHECK_FALSE(
      probe_ncu(fake_ncu(folder, "cat >$log <<'END'\n\"ID\",\"Kernel Name\",\"m\"\n\"\",\"\",\"\"\nEND\n"),
                {"true"}, 5)
          .usable);  // a table without a kernel
  const auto with_value = [&](const std::string& value) {
    return fake_ncu(folder,
                    "cat >$log <<'END'\n\"ID\",\"Process ID\",\"Kernel Name\",\"smsp__inst_executed.sum\"\n"
                    "\"\",\"\",\"\",\"inst\"\n\"0\",\"7\",\"reference_kernel\",\"" +
                        value + "\"\nEND\n");
  };
  CHECK(probe_ncu(with_value("1,234"), {"true"}, 5).usable);
  CHECK_FALSE(probe_ncu(with_value("n/a"), {"true"}, 5).usable);  // an ID is no counter
}

TEST_CASE("What ncu has delivered is kept", "[unit]") {
  const TemporaryDirectory folder;
  const std::string deliver = "cp " + recorded("ncu_columns.csv") + " $log\n";
  const std::vector<std::string> wanted{"dram__bytes_read.sum", "m"};
  const CollectedCounters whole = collect_with_ncu(fake_ncu(folder, deliver), wanted, {"true"}, 5);
  REQUIRE(whole.kernels.size() == 2);
  CHECK(whole.kernels[0].readings.size() == 1);  // readings that nobody asked for are left out
  CHECK(whole.note.empty());
  const CollectedCounters killed = collect_with_ncu(
      fake_ncu(folder, "head -c 900 " + recorded("ncu_columns.csv") + " >$log\nexec sleep 30\n"), wanted,
      {"true"}, 0.5);
  REQUIRE(killed.kernels.size() == 1);
  CHECK(killed.kernels[0].readings.count("dram__bytes_read.sum") == 1);
  CHECK(killed.note.find("0.5 s") != std::string::npos);
  const CollectedCounters nothing = collect_with_ncu(fake_ncu(folder, "exit 1\n"), {"m"}, {"true"}, 5);
  CHECK(nothing.kernels.empty());
  CHECK_FALSE(nothing.note.empty());
}

TEST_CASE("perf counts, or says that it cannot", "[unit]") {
  const TemporaryDirectory folder;
  const std::string counting =
      script(folder, "perf", "echo '100,,cycles,1,1,,' >&2\necho '250,,instructions,1,1,,' >&2\n");
  CHECK(probe_perf(counting, 5).usable);
  CHECK(count_with_perf(counting, {"true"}, 5).at("instructions") == 250);
  const CounterAccess without =
      probe_perf(script(folder, "perf", "echo '<not supported>,,instructions,0,1,,' >&2\n"), 5);
  CHECK_FALSE(without.usable);
  CHECK_FALSE(without.fix.empty());
  CHECK(probe_perf("", 5).why.find("no perf") != std::string::npos);
  const std::string broken = folder.write("broken", std::string("\177ELF\0", 5));
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  CHECK_FALSE(probe_perf(broken, 5).usable);
  CHECK_FALSE(probe_perf(broken, 5).why.empty());
}
