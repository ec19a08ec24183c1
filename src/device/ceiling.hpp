/// Ceilings: what the machine does at most, measured.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace minimod {

/// Level that a ceiling limits: a level of memory, for each of which a kernel has an arithmetic intensity, or
/// the arithmetic of floats or doubles. The fabric goes between the sides of an L2.
enum class Level { dram, fabric, l2, l1, shared, compute, compute_double };

/// One pattern, measured some times.
struct Ceiling {
  std::string name;  ///< "dram_read", "fp32_fma", …
  Level level = Level::dram;
  std::vector<double> rates;  ///< rates of the runs, GB/s or (arithmetic) GFLOP/s
  double theoretical = 0;     ///< in the same unit, 0 where it is not known
  std::string how;            ///< words on what ran, and on where the theoretical value comes from
};

[[nodiscard]] constexpr bool is_arithmetic(Level level) {
  return level == Level::compute || level == Level::compute_double;
}

/// Meaning of a ceiling of that name, in a sentence; empty for a name that no device measures.
[[nodiscard]] std::string_view ceiling_meaning(std::string_view name);

/// How many times each pattern runs.
inline constexpr int ceiling_repeats = 20;

/// Bandwidth of plain streaming kernels over arrays far larger than the caches, the best of several runs,
/// GB/s (reads and writes counted).
struct StreamRates {
  double copy = 0;                   ///< one read, one write
  double three_reads_one_write = 0;  ///< the traffic of the inner update without its stencil
};

class Backend;

/// DRAM read, copy, triad and the solver's mix, reads from L2 and L1, additions and multiply-adds of floats
/// and multiply-adds of doubles, on all cores.
[[nodiscard]] std::vector<Ceiling> measure_host_ceilings(Backend& backend);

/// One pattern: runs `seconds` (one run's duration) after two warm-up runs and keeps amount / seconds · 1e-9.
[[nodiscard]] Ceiling measure_ceiling(const Ceiling& what, double amount,
                                      const std::function<double()>& seconds);

/// How many runs in a row may be no better before a rate is taken as it is: one that figures are held
/// against, or one that stands beside a run. The latter takes half the time, and on a GPU may come out 1 %
/// less.
enum class Thoroughness { of_figures = 4, of_a_run = 2 };

/// The least of some runs' seconds: of `ceiling_repeats`, or of fewer where they get no better.
[[nodiscard]] double least_seconds(const std::function<double()>& seconds, Thoroughness thoroughness);

}  // namespace minimod
