#include "src/roofline/checks.hpp"

#include <cmath>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/process/screen.hpp"

namespace minimod {

namespace {

constexpr double least_flop_ratio = 0.95, most_flop_ratio = 1.15;
constexpr double least_dram_ratio = 0.98;
constexpr double least_level_ratio = 0.995;  ///< counters of a launch come from several runs of it
constexpr double most_time_difference = 0.10;

void check_operations(const Row& row, std::vector<Flag>& failed) {
  const auto counted = row.value("flop_counted"), formula = row.value("flop_formula");
  if (counted && formula && row.extra_work.empty()) {
    const double ratio = *counted / *formula;
    if (ratio < least_flop_ratio || ratio > most_flop_ratio) {
      failed.push_back({"flop", text("counted ", ratio, " of the formula's, not ", least_flop_ratio, " to ",
                                     most_flop_ratio)});
    }
  }
  const auto fp64 = row.value("fp64_instructions");
  if (fp64 && *fp64 > 0) failed.push_back({"fp64", text(*fp64, " instructions in double precision")});
  // Instructions in half precision say nothing: compilers move constants with HFMA2.
}

/// Counters of another launch would be as plausible.
void check_launch(const Row& row, std::vector<Flag>& failed) {
  if (!row.value("grid_x")) return;  // several launches
  constexpr std::pair<const char*, const char*> same[] = {{"blocks", "launch__grid_size"},
                                                          {"threads", "launch__block_size"},
                                                          {"registers", "launch__registers_per_thread"}};
  for (const auto& [what, metric] : same) {
    const auto launched = row.value(what);
    const auto counted = row.raw.find(metric);
    if (launched && counted != row.raw.end() && *launched != counted->second) {
      failed.push_back({"launch", text(counted->second, ' ', what, " counted, ", *launched, " launched")});
    }
  }
}

void check_bytes(const Row& row, double l2_bytes, std::vector<Flag>& failed) {
  const auto dram = row.value("dram_bytes"), compulsory = row.value("dram_bytes_compulsory");
  if (dram && compulsory && *dram < least_dram_ratio * *compulsory - 2 * l2_bytes) {
    failed.push_back({"dram", text(*dram / *compulsory, " of the compulsory bytes, not ", least_dram_ratio,
                                   ", and more than the L2 keeps is missing")});
  }
  const auto l1 = row.value("l1_bytes"), l2 = row.value("l2_bytes"), sectors = row.value("l2_transactions");
  if (l1 && l2 && *l1 < least_level_ratio * *l2) {
    failed.push_back({"levels", text("L1 moved ", *l1, " bytes, L2 ", *l2)});
  }
  // All sectors, not those for the multiprocessors alone: memory is read in pairs of sectors, of which a
  // narrow box asks for one.
  if (sectors && dram && sector_bytes * *sectors < least_level_ratio * *dram) {
    failed.push_back({"levels", text("L2 moved ", sector_bytes * *sectors, " bytes, memory ", *dram)});
  }
}

/// No kernel is faster than the machine: a ceiling below one's own rate was measured too low, if what the
/// rate counts is right.
void check_ceilings(const Row& row, const std::vector<Ceiling>& ceilings, std::vector<Flag>& failed) {
  const auto hold = [&](double own, const std::string& name, Level level, const char* unit, const char* why) {
    const auto most = best_rate(ceilings, level);
    if (!most || own <= *most) return;
    failed.push_back({"roof", text("it does ", three_digits(own), ' ', unit, ", above the ceiling of ", name,
                                   ", ", three_digits(*most), ' ', unit, ": ", why)});
  };
  const bool is_double = row.precision == Precision::float64;
  hold(row.value("gflop_per_s").value_or(0), is_double ? "fp64" : "fp32",
       is_double ? Level::compute_double : Level::compute, "GFLOP/s",
       "the ceiling is wrong, or the count of operations");
  for (const auto& [name, level] : memory_levels) {
    const auto bytes = row.value(std::string(name) + "_bytes"), seconds = row.value("seconds");
    if (!bytes || !seconds) continue;
    hold(*bytes / *seconds * 1e-9, name, level, "GB/s",
         row.is_analytic(std::string(name) + "_bytes")
             ? "the fields stayed in a cache, or the ceiling is wrong"
             : "the ceiling is wrong, or the count of bytes");
  }
}

}  // namespace

std::vector<Flag> failed_checks(const Row& row, const std::vector<Ceiling>& ceilings, double l2_bytes) {
  std::vector<Flag> failed;
  check_operations(row, failed);
  check_launch(row, failed);
  check_bytes(row, l2_bytes, failed);
  check_ceilings(row, ceilings, failed);
  // Under ncu launches run one at a time: where they run beside each other the sum says nothing.
  const bool overlaps = row.part == "step";
  const auto events = row.value("seconds"), ncu = row.value("seconds_ncu");
  if (!overlaps && events && ncu && std::abs(*ncu / *events - 1) > most_time_difference) {
    failed.push_back({"time", text("ncu ", *ncu * 1e3, " ms, events ", *events * 1e3, " ms")});
  }
  return failed;
}

}  // namespace minimod
