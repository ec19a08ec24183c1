/// Ceilings as people read them, and kernels that are above one.
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

std::string faults_of(const Row& row) {
  std::string all;
  for (const Flag& flag : failed_checks(row, with_doubles)) all += flag.check + ": " + flag.what + '\n';
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
