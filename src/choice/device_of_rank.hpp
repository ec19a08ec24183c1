/// Devices and kernels that the ranks of a run take.
#pragma once

#include "src/choice/device_choice.hpp"
#include "src/ranks/rank_options.hpp"

namespace minimod {

/// The GPU at the rank's place on its machine, of those that are named or of all; the last ones serve several
/// ranks, until their names show it (refuse_shared_gpus).
[[nodiscard]] DeviceOption device_of_rank(const DeviceOption& device, const Ranks& ranks);

/// Error 69, on all ranks, where some are on one GPU.
void refuse_shared_gpus(const DeviceInfo& device, Ranks& ranks);

/// As choose_device, for ranks that compute one domain: each takes a GPU of its own, the one at its place
/// among the ranks of its machine or the one that the batch system lets it see, and all take the kernels that
/// the first one chooses for its slab. Every rank calls it. Errors: those of choose_device; 69 where there
/// are more ranks than GPUs, without RankOptions::share_gpu.
[[nodiscard]] DeviceChoice choose_devices(const KernelOptions& options, const RankOptions& rank_options,
                                          const StepProblem& problem, const ShotSize& shot, Ranks& ranks);

/// Rates at which the devices of all ranks stream at once.
[[nodiscard]] StreamRates stream_rates_of(const DeviceChoice& choice, Ranks& ranks,
                                          Thoroughness thoroughness);
[[nodiscard]] StreamRates stream_rates_of(Backend& backend, Ranks& ranks, Thoroughness thoroughness);

}  // namespace minimod
