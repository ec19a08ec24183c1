/// Snapshots of a file.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/grid.hpp"
#include "src/wavelets/time_axis.hpp"

namespace minimod {

struct SnapshotPlan {
  std::vector<int> steps;  ///< steps done at each; rising, none: no snapshots
  Lattice nodes;           ///< nodes of the grid
  Point3 origin, spacing;  ///< place of the nodes, in the model's coordinates, m
  TimeAxis times;          ///< times of the run
  Precision precision = Precision::float32;

  [[nodiscard]] bool empty() const { return steps.empty(); }
  /// Bytes of one snapshot.
  [[nodiscard]] std::size_t bytes() const { return std::size_t(nodes.n.points()) * bytes_of(precision); }
};

}  // namespace minimod
