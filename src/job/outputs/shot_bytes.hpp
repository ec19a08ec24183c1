/// What the files of a shot take of the disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/choice/kernel_options.hpp"
#include "src/job/plan/plan.hpp"

namespace minimod {

/// The greatest size that the gather's files may have.
[[nodiscard]] std::uint64_t gather_bytes(const RunPlan& plan, const GatherFormats& formats,
                                         std::size_t receivers, std::size_t sources);

/// Of the two checkpoints of a shot that may be there at a time, the largest. Which schedule a shot has may
/// be decided where it runs.
[[nodiscard]] std::uint64_t checkpoints_bytes(const RunPlan& plan, const KernelOptions& kernels,
                                              std::size_t receivers);

/// Error 74 where the file system has no room for what a run leaves beside `file`, its gather: that,
/// snapshots, and checkpoints, less those that are there and will be replaced.
void check_disk(const RunPlan& plan, const ShotOptions& options, const std::filesystem::path& file);

}  // namespace minimod
