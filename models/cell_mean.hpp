/// Means of a medium over the cell around a node.
///
/// What the wave equation has of a medium of constant density is m = 1/V², and where an interface lies within
/// a cell, the mean of m over that cell puts the reflection where the interface is, to second order in the
/// spacing, at any angle. A model's nodes are samples; each is taken to fill the cell around it.
#pragma once

#include <cmath>
#include <vector>

namespace minimod {

/// m of a velocity (m/s), s²/m².
[[nodiscard]] inline double squared_slowness(float v) {
  return 1 / (static_cast<double>(v) * v);
}
/// The velocity (m/s) of an m; of that of a velocity the very same bits.
[[nodiscard]] inline float velocity_of_mean(double m) {
  return static_cast<float>(1 / std::sqrt(m));
}

/// A node of a model, and its share of a mean.
struct Share {
  int node = 0;
  double weight = 1;
  friend bool operator==(const Share&, const Share&) = default;
};
using Shares = std::vector<Share>;  ///< of neighbours, the first one first; the weights add up to 1

/// How far from a node, in node intervals, a position still counts as on it: more than the rounding of a
/// spacing that a file keeps as float32.
[[nodiscard]] double tolerance_at(double position);

/// The shares of the nodes 0 … nodes − 1 of an axis in the mean around `position`, in node intervals. The
/// mean goes over a cell of the run, `width` intervals wide, and where the run's nodes are the closer ones
/// over a cell of the model, which is to interpolate linearly. Outside the model its outermost nodes go on.
[[nodiscard]] Shares shares_of_cell(double position, double width, int nodes);

/// Whether each is one node.
[[nodiscard]] bool are_nodes(const std::vector<Shares>& shares);

}  // namespace minimod
