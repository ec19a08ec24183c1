/// Reading what profilers print.
#include "src/roofline/counters.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
using Catch::Approx;

namespace {

std::string recorded(const std::string& name) {
  std::ostringstream content;
  content
      << std::ifstream(std::string(MINIMOD_SOURCE_DIR "/validation/unit/measure/recorded/") + name).rdbuf();
  REQUIRE(!content.str().empty());
  return content.str();
}

}  // namespace

TEST_CASE("Numbers of profilers", "[unit]") {
  CHECK(to_base_units("20,430,949,888", "byte") == 20430949888.0);
  CHECK(to_base_units("61.72", "%") == 61.72);
  CHECK(to_base_units("3,360 ns", "") == 3360);
  CHECK(to_base_units("8.03", "ms").value_or(0) == Approx(8.03e6));
  CHECK(to_base_units("1.5 Gbyte", "byte") == 1.5e9);
  CHECK(to_base_units("1.5e+03", "inst") == 1500);
  for (const char* none : {"n/a", "inf", "-inf", "nan", "", "(128, 1, 1)", "<not supported>", "N/A byte"}) {
    CAPTURE(none);
    CHECK_FALSE(to_base_units(none, "byte").has_value());
  }
}

TEST_CASE("Comma-separated values", "[unit]") {
  bool complete = false;
  const auto records = parse_csv("a,\"b,\"\"c\"\"\",\r\n\"line\nend\",,x\n", complete);
  CHECK(complete);
  REQUIRE(records.size() == 2);
  CHECK(records[0] == std::vector<std::string>{"a", "b,\"c\"", ""});
  CHECK(records[1] == std::vector<std::string>{"line\nend", "", "x"});
  CHECK(parse_csv("a,b\nc,\"d", complete).size() == 1);
  CHECK_FALSE(complete);
  CHECK(parse_csv("a,b\nc", complete).size() == 1);
  CHECK_FALSE(complete);
}

TEST_CASE("A recorded table of ncu", "[unit]") {
  // gmem_8x8x8 at 256^3 on an H200, the inner box and the top, by ncu 2025.3.1 with --page raw; columns that
  // nobody asked for and the machine's names are cut out, numbers and messages are as they came.
  const CounterTable table = parse_ncu(recorded("ncu_gmem_8x8x8.csv"));
  CHECK(table.complete);
  REQUIRE(table.kernels.size() == 2);
  CHECK(table.kernels[0].kernel.find("Gmem<InnerUpdate<float, 4>, 8, 8, 8>") != std::string::npos);
  CHECK(table.kernels[1].kernel.find("Gmem<PmlUpdate<float, 4>, 8, 8, 8>") != std::string::npos);
  const CounterReadings &inner = table.kernels[0].readings, &top = table.kernels[1].readings;
  for (const std::string& metric : pinned_metrics("8.6")) {
    if (metric.find("_mem_lg.sum") != std::string::npos) continue;  // not on this GPU
    CAPTURE(metric);
    CHECK(inner.count(metric) + top.count(metric) == 2);
  }
  // 44 operations for each of 202^3 points.
  CHECK(inner.at("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") +
            2 * inner.at("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") ==
        44.0 * 202 * 202 * 202);
  CHECK(inner.at("dram__bytes_read.sum") == 107170560);
  CHECK(inner.at("launch__grid_size") == 26 * 26 * 26);
  CHECK(top.at("launch__grid_size") == 32 * 32 * 4);
  CHECK(top.at("gpu__time_duration.sum") == 39744);
}

TEST_CASE("A table of ncu, and what may stand in it", "[unit]") {
  const CounterTable table = parse_ncu(recorded("ncu_columns.csv"));
  CHECK(table.complete);
  REQUIRE(table.kernels.size() == 2);
  const CounterReadings &first = table.kernels[0].readings, &second = table.kernels[1].readings;
  CHECK(first.at("dram__bytes_read.sum") == 10532881408.0);
  CHECK(first.count("l1tex__t_sector_hit_rate.pct") == 0);                                      // n/a
  CHECK(first.count("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio") == 0);  // inf
  CHECK(first.count("lts__t_sectors_op_red.sum") == 0);  // no such column
  CHECK(table.kernels[1].kernel == "void \"quoted\" kernel");
  CHECK(second.at("dram__bytes_read.sum") == Approx(10532.88e6));
  CHECK(second.at("gpu__time_duration.sum") == Approx(3.33e6));
  CHECK(second.count("lts__t_sectors_op_atom.sum") == 0);  // empty
}

TEST_CASE("Tables of ncu that are cut off or none", "[unit]") {
  const std::string columns = recorded("ncu_columns.csv");
  const CounterTable half = parse_ncu(columns.substr(0, columns.size() - 20));
  CHECK_FALSE(half.complete);
  CHECK(half.kernels.size() == 1);
  CHECK(outcome_of([] { static_cast<void>(parse_ncu("==ERROR== ERR_NVGPUCTRPERM\n")); }).kind ==
        ErrorKind::data);
  CHECK(outcome_of([] {
          static_cast<void>(parse_ncu("\"ID\",\"x\"\n\"\",\"\"\n\"0\",\"1\"\n"));
        }).says("kernels"));
}

TEST_CASE("The columns of a table may come in any order", "[unit]") {
  const CounterTable table = parse_ncu(
      "\"ID\",\"a__m\",\"Kernel Name\"\n\"\",\"Kbyte\",\"\"\n\"0\",\"7\",\"k\"\n\"1\",\"8 byte\",\"k\"\n");
  REQUIRE(table.kernels.size() == 2);
  CHECK(table.kernels[0].readings.at("a__m") == 7000);
  CHECK(table.kernels[1].readings.at("a__m") == 8);
}

TEST_CASE("What perf stat writes", "[unit]") {
  const auto counts = parse_perf(
      "mode: printed by the program, not by perf\n2039482,,cycles:u,812345,100.00,,\n<not "
      "supported>,,instructions:u,0,100.00,,\n1234,,cache-misses,812345,42.00,,\n");
  CHECK(counts.size() == 2);
  CHECK(counts.at("cycles") == 2039482);
  CHECK(counts.at("cache-misses") == 1234);
}

TEST_CASE("The pinned metrics follow the GPU's generation", "[unit]") {
  const auto has = [](const std::string& capability, const std::string& name) {
    const auto metrics = pinned_metrics(capability);
    return std::count(metrics.begin(), metrics.end(), name) == 1;
  };
  CHECK(has("9.0", "l1tex__lsu_writeback_active_mem_lgds.sum"));
  CHECK_FALSE(has("9.0", "l1tex__lsu_writeback_active_mem_lg.sum"));
  CHECK(has("8.0", "l1tex__lsu_writeback_active_mem_lg.sum"));
  CHECK(has("10.0", "l1tex__lsu_writeback_active_mem_lgds.sum"));
  for (const char* fabric : {"lts__t_sectors_srcunit_ltcfabric.sum",
                             "lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed"}) {
    CHECK(has("9.0", fabric));
    CHECK(has("8.0", fabric));
    for (const char* without : {"7.5", "8.6", "8.9", "10.0", "12.0"}) CHECK_FALSE(has(without, fabric));
  }
}
