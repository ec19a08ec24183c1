/// Runs of this program under a profiler.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/measure/measurement.hpp"
#include "src/roofline/roofline.hpp"

namespace minimod {

/// Sets of kernels that one run takes.
using Batch = std::span<const NamedKernels>;

/// Whether the options and the machine have a GPU measured.
[[nodiscard]] bool goes_to_gpu(const DeviceOption& device);

/// This program, running some steps of sets of kernels on the same problem for a profiler.
[[nodiscard]] std::vector<std::string> profiled_command(const Setup& setup, const MeasureOptions& options,
                                                        Batch batch, StepRange range);

/// For the next set of kernels: noise ebbs away, a source swings on.
void renew_noise(Propagator& propagator, BenchField field);

/// What such a run does: options.profile_range of each set, with the profiler on.
void run_for_profiler(const RooflineOptions& options, const Setup& setup, const DeviceChoice& choice,
                      Batch kernels);

}  // namespace minimod
