/// What `--kernel auto` tries on a GPU.
#pragma once

#include <vector>

namespace minimod {

class Schedule;

struct Candidate {
  const char *inner, *pml;
  const Schedule* schedule;
};

/// The fastest sets on the GPUs that were measured (perf/README.md), and some for GPUs with less shared
/// memory; tried as far as they run there. The first takes over where no memory is left to try.
[[nodiscard]] const std::vector<Candidate>& candidates();

}  // namespace minimod
