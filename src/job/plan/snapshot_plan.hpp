/// Which nodes of the wavefield are kept after which steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grid.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/wavelets/wavelet.hpp"

namespace minimod {

struct SnapshotPlan {
  std::vector<int> steps;  ///< that are done at each; rising, none: no snapshots
  Lattice nodes;           ///< of the grid
  Point3 origin, spacing;  ///< of the nodes, in the model's coordinates, m
  RunTimes times;          ///< of the run
  Precision precision = Precision::float32;

  [[nodiscard]] bool empty() const { return steps.empty(); }
  /// Of one snapshot.
  [[nodiscard]] std::size_t bytes() const { return std::size_t(nodes.n.points()) * bytes_of(precision); }
  /// "20 every 0.05 s …" in a line for the log.
  [[nodiscard]] std::string fact() const;
};

/// Errors: 64 options without --snapshot-every, an interval that is shorter than a step or longer than the
/// run; 65 a box beyond the grid.
[[nodiscard]] SnapshotPlan make_snapshot_plan(const SnapshotOptions& options, const Grid& grid,
                                              const Box3& model_box, const RunTimes& times);

}  // namespace minimod
