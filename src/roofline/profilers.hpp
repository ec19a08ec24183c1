/// The profilers that read hardware counters for us: ncu on a GPU, perf on a CPU.
#pragma once

#include <string>
#include <vector>

#include "src/device/backend.hpp"
#include "src/roofline/counters.hpp"

namespace minimod {

/// Whether counters can be read, and if not, why and what would change that.
struct CounterAccess {
  bool usable = false;
  std::string tool;     ///< path of the profiler, empty when there is none
  std::string version;  ///< as it says
  std::string why;      ///< not usable
  std::string fix;
};

/// Has `ncu` (a path, empty for none) count something of a small run of this program, `command`. Never an
/// error: whatever fails is the reason.
[[nodiscard]] CounterAccess probe_ncu(const std::string& ncu, const std::vector<std::string>& command,
                                      double limit);

/// ncu on PATH or where CUDA is usually installed; empty when there is none.
[[nodiscard]] std::string find_ncu();

/// The same for `perf stat`, which must be able to count instructions.
[[nodiscard]] CounterAccess probe_perf(const std::string& perf, double limit);

/// Counters that a run under a profiler delivered; `note` says what is missing, empty when nothing is.
struct CollectedCounters {
  std::vector<KernelCounters> kernels;
  std::string note;
};

/// Runs `command` under ncu with the pinned metrics between cudaProfilerStart and cudaProfilerStop, clocks
/// and caches as they are. What an ncu that was stopped at the limit had delivered is kept.
[[nodiscard]] CollectedCounters collect_with_ncu(const std::string& ncu,
                                                 const std::vector<std::string>& metrics,
                                                 const std::vector<std::string>& command, double limit);

/// Counts of a whole run of `command` by perf's event names; empty when it failed.
[[nodiscard]] CounterReadings count_with_perf(const std::string& perf,
                                              const std::vector<std::string>& command, double limit);

}  // namespace minimod
