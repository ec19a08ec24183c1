/// Numbers of common midpoints, which follow from positions alone: shots of a survey agree on them in
/// whatever order they run, and in whatever file they end.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/grid.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/shot_geometry.hpp"

namespace minimod {

/// Bins of midpoints on the map. Of a survey whose sources and receivers lie on one line they are pieces of
/// it, half a receiver spacing long; of any other squares of that edge, whose rows run along x. The first one
/// is centred on the corner of the model that the line comes from, or on its first node.
struct MidpointBins {
  double size = 0;           ///< edge, m; 0: there are none
  double along[2] = {1, 0};  ///< direction of the line, of length 1; with rows that of x
  double first = 0;          ///< m along it, of the centre of bin 1
  std::int64_t columns = 0;  ///< bins in a row; 0 on a line

  /// Number of the bin of a point of the model, from 1; 0 where there are no bins or 32 bits do not hold it.
  [[nodiscard]] std::int64_t number_of(Point3 midpoint) const;
};

/// The bins of a survey in a model of `extent` m. A receiver spacing is the median of the distances on the
/// map between receivers that follow each other, or, where none do, the spacing of the nodes along x.
[[nodiscard]] MidpointBins bins_of(const std::vector<ShotGeometry>& shots, Point3 extent,
                                   double node_spacing);

/// Attributes that a gather keeps of midpoints, and the bins that they make again: none where it has nothing
/// of it.
[[nodiscard]] std::vector<std::pair<std::string, AttributeValue>> facts_of(const MidpointBins& bins);
[[nodiscard]] MidpointBins bins_of(const ShotGather& gather);

}  // namespace minimod
