/// Which device and kernels the ranks of a run take.
#pragma once

#include "src/choice/device_choice.hpp"
#include "src/ranks/rank_options.hpp"

namespace minimod {

/// As choose_device, for ranks that compute one domain: each takes a GPU of its own, the one at its place
/// among the ranks of its machine or the one that the batch system lets it see, and all take the kernels that
/// the first one chooses for its slab. Every rank calls it. Errors: those of choose_device; 69 where there
/// are more ranks than GPUs, without RankOptions::share_gpu.
[[nodiscard]] DeviceChoice choose_devices(const KernelOptions& options, const RankOptions& rank_options,
                                          const StepProblem& problem, const ShotSize& shot, Ranks& ranks);

/// What the devices of all ranks stream at once.
[[nodiscard]] StreamRates stream_rates_of(const DeviceChoice& choice, Ranks& ranks);

}  // namespace minimod
