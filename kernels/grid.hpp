/// The grid of a run.
#pragma once

#include "kernels/layouts/chunks.hpp"
#include "src/base/precision.hpp"

namespace minimod {

/// Weights of the second difference along an axis.
enum class StarWeights {
  taylor,   ///< highest order that their points allow
  minimax,  ///< least error of speed for shorter waves: minimax_weights
};

/// A second difference along an axis: how far it reaches, and by which weights.
struct Difference {
  int radius = stencil_radius;
  StarWeights weights = StarWeights::taylor;
  constexpr Difference(int reach = stencil_radius, StarWeights by = StarWeights::taylor)
      : radius(reach), weights(by) {}
};

/// Planes of a slab beside a cut that are ghosts or that the neighbour wants, which are as many as it has
/// ghosts and a halo.
[[nodiscard]] constexpr int planes_of_rim(int ghosts, int radius) {
  return 2 * ghosts + radius;
}

/// Rows start on multiples of this many values (128 B of floats, one line of a GPU's cache), odd multiples
/// apart.
inline constexpr int row_alignment = 32;

/// V values of an array that are loaded and stored at once, by 16 B at most.
template <class Value, int V>
struct alignas(V * sizeof(Value) < 16 ? V * sizeof(Value) : 16) Vector {
  Value value[V];
};

/// Reals of a vector that is one load or one store: 4 floats, 2 doubles.
template <class Real>
inline constexpr int reals_of_vector = 16 / sizeof(Real);

/// The points of a run, or of a slab of its domain between two planes z: `n` of them, PML included, `spacing`
/// apart (m), the halo outside.
struct Grid {
  Extent3 n;
  Point3 spacing;
  Layout layout;
  int radius = stencil_radius;               ///< radius of the stencil: points of the halo on every side
  Precision precision = Precision::float32;  ///< precision of the fields
  StarWeights weights = StarWeights::taylor;
  int first_z = 0;  ///< plane of the domain that is plane 0 here
  int ghosts_above = 0,
      ghosts_below = 0;        ///< outermost planes that a neighbour has and this slab computes too
  ChunkLayout chunks = {};     ///< where a device's fields do not lie as `layout` says, but in chunks
  bool rows_are_seen = false;  ///< by others, to whom fields are rows: a caller, or a neighbour

  [[nodiscard]] bool in_chunks() const { return chunks.columns > 0; }
  /// Index of a node, which a field's layout places in the field.
  [[nodiscard]] std::int64_t index(Index3 p) const {
    return in_chunks() ? chunks.index(p.x, p.y, p.z) : layout.index(p.x, p.y, p.z);
  }
  [[nodiscard]] Difference difference() const { return {radius, weights}; }
  [[nodiscard]] int ghosts() const { return ghosts_above > ghosts_below ? ghosts_above : ghosts_below; }
  /// The points that are no ghosts.
  [[nodiscard]] Box3 own() const { return {{0, 0, ghosts_above}, {n.x, n.y, n.z - ghosts_below}}; }
  /// Points of a box that are no ghosts.
  [[nodiscard]] std::int64_t own_points(Box3 box) const;
};

/// A grid whose storage has a halo of `radius` points on every side, and in which the points of the x index
/// `aligned_x` (the first of the inner box) are aligned to 128 B.
[[nodiscard]] Grid make_grid(Extent3 n, Point3 spacing, int aligned_x, Difference difference = {},
                             Precision precision = Precision::float32);

/// Storage from `first` on of the points of `box` alone, without a halo (for fields that are only met inside
/// the box). Its rows begin and end on vectors, and a vector of four points of `field` is one here too.
[[nodiscard]] Layout box_layout(const Box3& box, const Layout& field, std::int64_t first);

/// Where plane z of such a storage begins; it has stride_z values.
[[nodiscard]] std::int64_t plane_of_box(const Layout& storage, const Box3& box, const Layout& field, int z);

}  // namespace minimod
