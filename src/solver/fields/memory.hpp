/// Bytes of the device's memory that a propagator takes, before it is made.
#pragma once

#include "src/solver/step_plan.hpp"

namespace minimod {

/// Size of what a run feeds in and records, as far as it takes memory.
struct ShotSize {
  std::size_t source_nodes = 0, source_samples = 0;  ///< nodes and samples of all sources together
  std::size_t receivers = 0;
  int batch = 0;  ///< samples of each receiver that are kept on the device
};

/// Bytes that the device gives for all allocations of a propagator with its source and receivers, with the
/// ghosts that the schedule has of a slab. Takes no memory. Error 71 where a kernel does not take the grid.
[[nodiscard]] std::size_t bytes_needed(const Backend& backend, const StepProblem& without_ghosts,
                                       const KernelSet& kernels, const ShotSize& shot = {});

/// Bytes of the fields that a checkpoint keeps under a schedule.
[[nodiscard]] std::size_t state_bytes(const StepProblem& problem, const Schedule& schedule);

}  // namespace minimod
