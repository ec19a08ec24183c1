/// Sets of kernels that `--kernel auto` tries on a GPU.
#pragma once

#include <string>
#include <vector>

namespace minimod {

class Schedule;

struct Candidate {
  std::string inner, pml;
  const Schedule* schedule;
};

/// The fastest sets on the GPUs that were measured (perf/h200.md), and some for GPUs with less shared
/// memory; tried as far as they run there. The first takes over where no memory is left to try.
[[nodiscard]] const std::vector<Candidate>& candidates();

/// The same, with inner kernels that were tuned beside them, in launches one after the other.
[[nodiscard]] std::vector<Candidate> candidates_with(const std::vector<std::string>& tuned);

}  // namespace minimod
