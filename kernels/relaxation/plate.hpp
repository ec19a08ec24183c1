/// A heated plate: where its nodes lie in memory, and the point update of its relaxation.
///
/// The plate has n.x by n.y nodes whose temperature is sought, (0, 0) to (n.x − 1, n.y − 1), and a frame of
/// nodes around them whose temperature is given. Node (i, j) is red where i + j is even, else black.
#pragma once

#include <cstring>

#include "kernels/shape.hpp"
#include "kernels/stencil.hpp"

namespace minimod::relaxation {

enum class Storage {
  packed_rows,    ///< rows right behind each other
  aligned_rows,   ///< rows padded, so that node (0, j) begins a line of 128 B
  colours_apart,  ///< each colour in rows of its own, aligned so
};

inline constexpr int line_bytes = 128;

/// Where node (i, j) stands, −1 ≤ i ≤ n.x, −1 ≤ j ≤ n.y.
struct PlateLayout {
  bool colours_apart = false;
  std::int64_t origin = 0;  ///< index of node (0, 0)
  std::int64_t pitch = 0;   ///< from a row to the next
  std::int64_t black = 0;   ///< from the rows of the red nodes to those of the black ones, which are apart
  std::int64_t size = 0;    ///< values of the storage

  [[nodiscard]] MINIMOD_HD std::int64_t in_rows(int i, int j) const { return origin + i + j * pitch; }
  /// Of column pair k, which has one node of the colour in each row: 2k or 2k + 1.
  [[nodiscard]] MINIMOD_HD std::int64_t in_colour(int colour, int k, int j) const {
    return origin + colour * black + k + j * pitch;
  }
  [[nodiscard]] MINIMOD_HD std::int64_t index(int i, int j) const {
    return colours_apart ? in_colour((i + j) & 1, i >> 1, j) : in_rows(i, j);
  }
};

/// `value_bytes`: of a value.
[[nodiscard]] inline PlateLayout make_plate_layout(Extent3 n, Storage storage, int value_bytes) {
  const int alignment = storage == Storage::packed_rows ? 1 : line_bytes / value_bytes;
  PlateLayout layout;
  layout.colours_apart = storage == Storage::colours_apart;
  const std::int64_t values_of_row = (layout.colours_apart ? n.x / 2 : n.x) + 2;
  layout.pitch = (values_of_row + alignment - 1) / alignment * alignment;
  layout.origin = alignment + layout.pitch;  // what stands left of a row lies in the padding of that before
  const std::int64_t plane = layout.origin + (std::int64_t{n.y} + 1) * layout.pitch;
  layout.black = layout.colours_apart ? plane : 0;
  layout.size = layout.colours_apart ? 2 * plane : plane;
  return layout;
}

/// What the point update weighs its values by.
template <class Real>
struct Weights {
  Real keep, along_x, along_y;

  /// 1 − ω, ω / (2 (1 + β²)) and β² times that; `beta` = Δx / Δy.
  static Weights of(double omega, double beta) {
    const double along_x = omega / (2 * (1 + beta * beta));
    return {Real(1 - omega), Real(along_x), Real(along_x * beta * beta)};
  }
};

/// The relaxed temperature of a node, equations 3 to 5 of Itu et al. 2011: the one place where they stand.
template <class Real>
MINIMOD_HD inline Real relaxed(const Weights<Real>& w, Real t, Real west, Real east, Real south, Real north) {
  return fused(w.along_x, west + east, fused(w.along_y, south + north, w.keep * t));
}

/// Additions and multiplications of it.
inline constexpr int flop_of_node = 7;

/// What the launch of a half sweep needs, passed by value.
template <class RealType>
struct PlateArgs {
  using Real = RealType;
  Box3 box;  ///< the nodes that are sought; one plane
  PlateLayout layout;
  Weights<Real> weights;
  Real* t = nullptr;
  int colour = 0;  ///< that is relaxed: 0 red, 1 black

  [[nodiscard]] MINIMOD_HD bool is_of_colour(Index3 p) const { return ((p.x + p.y) & 1) == colour; }
  /// Of the plate or of its frame.
  [[nodiscard]] MINIMOD_HD bool has_node(int i, int j) const { return i <= box.end.x && j <= box.end.y; }
  /// Relaxes a node whose neighbours along x stand next to it, as in rows.
  MINIMOD_HD void relax_in_rows(Index3 p) const {
    Real* const here = t + layout.in_rows(p.x, p.y);
    *here = relaxed(weights, *here, here[-1], here[1], here[-layout.pitch], here[layout.pitch]);
  }
  /// |mean of the neighbours − t| of a node, with the weights of ω = 1.
  [[nodiscard]] MINIMOD_HD Real defect(int i, int j) const {
    const Real mean = relaxed(weights, Real(0), t[layout.index(i - 1, j)], t[layout.index(i + 1, j)],
                              t[layout.index(i, j - 1)], t[layout.index(i, j + 1)]);
    return std::fabs(mean - t[layout.index(i, j)]);
  }
};

/// The bits of a value ≥ 0 in order of its size; those of a NaN are above all others.
[[nodiscard]] MINIMOD_HD inline std::uint64_t size_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x7fffffffU;
}
[[nodiscard]] MINIMOD_HD inline std::uint64_t size_bits(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x7fffffffffffffffU;
}

/// What the shapes of a half sweep share: a block relaxes a tile of Dx by Dy nodes.
template <class RealType, int Dx, int Dy>
struct PlateShape : ShapeDefaults {
  using Real = RealType;
  using Args = PlateArgs<Real>;
  static constexpr Extent3 tile{Dx, Dy, 1};
  static constexpr Extent3 threads = tile;
  static constexpr Storage storage = Storage::aligned_rows;
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }
};

}  // namespace minimod::relaxation
