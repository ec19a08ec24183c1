/// Ceilings as people read them, and kernels that are above one.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/device/ceiling.hpp"
#include "src/roofline/checks.hpp"
#include "src/roofline/report.hpp"

using namespace minimod;

namespace {

const std::vector<Ceiling> with_doubles = {
    {"dram_read", Level::dram, {30, 40}, 50, "their sum"},
    {"fp32_fma", Level::compute, {200, 180}, 0, "vectors of 512 bits"},
    {"fp64_fma", Level::compute_double, {100}, 0, "vectors of 512 bits"}};

/// A kernel that does 100 operations on 20 bytes in so many nanoseconds.
Row row_in(double nanoseconds, Precision precision = Precision::float32) {
  Row row;
  row.shape = "gmem_8x8x8";
  row.part = "inner";
  row.precision = precision;
  row.set("points", 2, Origin::analytic);
  row.set("seconds", nanoseconds * 1e-9, Origin::measured);
  row.set("flop_formula", 100, Origin::analytic);
  row.set("flop_model", 100, Origin::analytic);
  row.set("dram_bytes_compulsory", 20, Origin::analytic);
  derive(row, with_doubles);
  return row;
}

/// A row of 100 operations in 4 ns, of which ncu counted 40 bytes of memory and `more`.
Row counted_row(const CounterReadings& more, const std::vector<Ceiling>& roofs) {
  Row row;
  row.set("seconds", 4e-9, Origin::measured);
  CounterReadings readings = more;
  readings.insert({{"dram__bytes_read.sum", 40}, {"dram__bytes_write.sum", 0}});
  row.set("flop_model", 100, Origin::analytic);
  add_counters(row, readings);
  derive(row, roofs);
  return row;
}

/// Two sectors through the fabric between the sides of an L2, which is 80 % busy, in ncu's words.
CounterReadings through_fabric() {
  return parse_ncu(
             "\"ID\",\"Kernel Name\",\"lts__t_sectors_srcunit_ltcfabric.sum\","
             "\"lts__ltcfabric2ltc_cycles_active.avg.pct_of_peak_sustained_elapsed\"\n"
             "\"\",\"\",\"sector\",\"%\"\n\"0\",\"k\",\"2\",\"80.0\"\n")
      .kernels.at(0)
      .readings;
}

std::vector<Ceiling> with_fabric(double rate) {
  std::vector<Ceiling> roofs = with_doubles;
  roofs.push_back({"l2_far", Level::fabric, {rate}, 0, "512 MB of memory, once"});
  return roofs;
}

std::string faults_of(const Row& row, const std::vector<Ceiling>& roofs = with_doubles) {
  std::string all;
  for (const Flag& flag : failed_checks(row, roofs)) all += flag.check + ": " + flag.what + '\n';
  return all;
}

}  // namespace

TEST_CASE("A kernel above a ceiling says that the ceiling is wrong, and both figures", "[unit]") {
  CHECK(faults_of(row_in(1.01)).empty());  // 99 GFLOP/s, 19.8 GB/s
  CHECK(faults_of(row_in(1.01, Precision::float64)).empty());
  CHECK(
      faults_of(row_in(0.4)) ==
      "roof: it does 250 GFLOP/s, above the ceiling of fp32, 200 GFLOP/s: the ceiling is wrong, or the count "
      "of operations\n"
      "roof: it does 50.0 GB/s, above the ceiling of dram, 40.0 GB/s: the fields stayed in a cache, or the "
      "ceiling is wrong\n");
  CHECK(
      faults_of(row_in(0.8, Precision::float64)) ==
      "roof: it does 125 GFLOP/s, above the ceiling of fp64, 100 GFLOP/s: the ceiling is wrong, or the count "
      "of operations\n");
  Row counted;
  counted.set("seconds", 0.55e-9, Origin::measured);
  counted.set("flop_model", 100, Origin::analytic);
  add_counters(counted, {{"dram__bytes_read.sum", 30}, {"dram__bytes_write.sum", 0}});
  derive(counted, with_doubles);
  CHECK(
      faults_of(counted) ==
      "roof: it does 54.5 GB/s, above the ceiling of dram, 40.0 GB/s: the ceiling is wrong, or the count of "
      "bytes\n");
}

TEST_CASE("The fabric between the sides of an L2 is a level of a row that has its counters", "[unit]") {
  const Row row = counted_row(through_fabric(), with_fabric(20));
  CHECK(row.value("fabric_transactions") == 2);
  CHECK(row.value("fabric_bytes") == 64);
  CHECK(row.value("fabric_busy") == 80);
  CHECK(row.value("ai_fabric") == 100.0 / 64);
  CHECK(row.value("roof_fabric") == 20 * 100.0 / 64);
  CHECK(row.value("achieved_fabric").value_or(0) == Catch::Approx(80));
  CHECK(row.bound_by == "fabric");  // memory: a quarter
  CHECK(faults_of(row, with_fabric(20)).empty());
  CHECK(faults_of(row, with_fabric(15)) ==
        "roof: it does 16.0 GB/s, above the ceiling of fabric, 15.0 GB/s: the ceiling is wrong, or the count "
        "of bytes\n");
  const std::string told = tables_text({row});
  CAPTURE(told);
  CHECK(told.find("fabric AI fabric*  its roof    fabric    fabric") != std::string::npos);
  CHECK(told.find("sectors    FLOP/B   GFLOP/s % of roof    % busy") != std::string::npos);
  const Json record = make_record(Json::object(), with_fabric(20), {row});
  CHECK(record["ceilings"].back()["level"] == "fabric");
  CHECK(record["ceilings"].back()["unit"] == "GB/s");
}

TEST_CASE("A row has what is known of the fabric, and else nothing", "[unit]") {
  const Row no_ceiling = counted_row(through_fabric(), with_doubles);
  CHECK(no_ceiling.value("fabric_busy") == 80);
  CHECK_FALSE(no_ceiling.value("achieved_fabric").has_value());
  CHECK(no_ceiling.bound_by == "dram");

  const Row no_counters = counted_row({}, with_fabric(20));
  for (const Cell& cell : no_counters.cells()) CHECK(cell.name.find("fabric") == std::string::npos);
  CHECK(faults_of(no_counters, with_fabric(20)).empty());
  CHECK(tables_text({no_counters}).find("fabric") == std::string::npos);

  CounterReadings all_near = through_fabric();
  all_near["lts__t_sectors_srcunit_ltcfabric.sum"] = 0;
  const Row near = counted_row(all_near, with_fabric(20));
  CHECK(near.value("fabric_bytes") == 0);
  CHECK_FALSE(near.value("ai_fabric").has_value());
}

TEST_CASE("Each ceiling is explained in a sentence", "[unit]") {
  const std::string told = ceilings_text(with_doubles);
  CAPTURE(told);
  CHECK(
      told.find("\ndram_read:   memory, reads alone, of an array far larger than the caches (their sum)\n") !=
      std::string::npos);
  for (const char* name :
       {"dram_read", "dram_copy", "dram_triad", "dram_3r1w", "l2_read", "l2_2r1w", "l2_near", "l2_far",
        "l1_read", "shared_read", "fp32_fma", "fp32_add", "fp64_fma"}) {
    CAPTURE(name);
    CHECK(ceiling_meaning(name).size() > 20);
  }
  CHECK(ceiling_meaning("nosuch").empty());
}

TEST_CASE("Every column of the tables for people has its unit", "[unit]") {
  const std::string told = tables_text({row_in(2)});
  CAPTURE(told);
  for (const char* columns :
       {"shape      kernel     median    points     work*     work*      rate\n"
        "                          ms     Gpt/s     GFLOP   FLOP/pt   GFLOP/s\n",
        "shape      kernel      DRAM*  AI DRAM* roof DRAM      DRAM      fp32  bound by\n"
        "                          GB    FLOP/B   GFLOP/s % of roof % of roof\n"}) {
    CAPTURE(columns);
    CHECK(told.find(columns) != std::string::npos);
  }
}
