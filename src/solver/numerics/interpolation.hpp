/// Sources and receivers between the nodes: the sinc that a Kaiser window ends (Hicks, Geophysics 67, 2002).
#pragma once

#include <limits>

#include "kernels/node_weights.hpp"
#include "src/base/choices.hpp"

namespace minimod {

/// How a position becomes nodes.
enum class Interpolation {
  nearest,  ///< the nearest node
  sinc4,    ///< r = 4 nodes to either side, 8 an axis: b = 6.31
  sinc8,    ///< r = 8, 16 nodes an axis: b = 12.53; to check the other
};

inline constexpr NamedChoice<Interpolation> interpolation_names[] = {
    {Interpolation::nearest, "nearest"}, {Interpolation::sinc4, "sinc4"}, {Interpolation::sinc8, "sinc8"}};

[[nodiscard]] inline std::string interpolation_name(Interpolation interpolation) {
  return name_in(interpolation_names, interpolation);
}

/// Half the number of nodes along an axis; 0 for the nearest.
[[nodiscard]] constexpr int half_width(Interpolation interpolation) {
  return interpolation == Interpolation::sinc4 ? 4 : interpolation == Interpolation::sinc8 ? 8 : 0;
}

/// The weight of a node at distance x (in spacings) in a window of r nodes to either side.
[[nodiscard]] double windowed_sinc(double x, int r);

/// The share of a spacing by which a position is off its node, from which on that shows: a hundredth of a
/// spacing late.
inline constexpr double share_that_shows = 0.01;

/// The weights for positions, counted in nodes from node (0, 0, 0) of a grid of n points. Nodes outside the
/// grid, where u is 0, are left out; above a free surface at z = 0 they are minus their image below. Along an
/// axis they are made when a position has another coordinate than the one before: on lines and grids few
/// have.
class SincWeights {
 public:
  SincWeights(Extent3 n, Interpolation interpolation, bool free_surface)
      : n_(n), half_width_(half_width(interpolation)), free_surface_(free_surface) {}
  /// The weights for one, until the next call.
  [[nodiscard]] const NodeWeights& at(Point3 position);

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  Extent3 n_;
  int half_width_;
  bool free_surface_;
  Point3 position_{none, none, none};
  NodeWeights weights_{};
};

/// The weights for one position.
[[nodiscard]] NodeWeights sinc_weights(Point3 position, Extent3 n, Interpolation interpolation,
                                       bool free_surface);

}  // namespace minimod
