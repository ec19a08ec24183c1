/// Nodes of the wavefield that are kept, and the steps after which they are.
#pragma once

#include <string>

#include "kernels/grid.hpp"
#include "src/io/snapshots/snapshots.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/wavelets/time_axis.hpp"

namespace minimod {

/// "20 every 0.05 s …" in a line for the log.
[[nodiscard]] std::string fact_of(const SnapshotPlan& plan);

/// Errors: 64 options without --snapshot-every, an interval that is shorter than a step or longer than the
/// run; 65 a box beyond the grid.
[[nodiscard]] SnapshotPlan make_snapshot_plan(const SnapshotOptions& options, const Grid& grid,
                                              const Box3& model_box, const TimeAxis& times);

}  // namespace minimod
