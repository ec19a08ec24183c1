/// The layout of a field in memory, in rows.
#pragma once

#include <cstdint>

#include "src/base/extents.hpp"

namespace minimod {

/// Half the order of the spatial difference, as far as the stencil reaches along each axis: of the shapes
/// that are built in, and of all others at most.
inline constexpr int stencil_radius = 4, most_radius = 8;

/// Values of the vectors that the shapes load and store at once (16 B of floats).
inline constexpr int vector_alignment = 4;

/// Values of a field whose vectors 32 bits count.
inline constexpr std::int64_t most_in_vectors = std::int64_t{vector_alignment} << 32;

/// Where point (x, y, z) of a field stands in its storage; every product is 64-bit, so that a field may hold
/// more than 2^31 points.
struct Layout {
  std::int64_t origin = 0;    ///< index of point (0, 0, 0)
  std::int64_t stride_y = 0;  ///< from a point to its neighbour along y
  std::int64_t stride_z = 0;
  std::int64_t size = 0;  ///< elements of the storage, halo and padding included

  [[nodiscard]] MINIMOD_HD std::int64_t index(int x, int y, int z) const {
    return origin + x + y * stride_y + z * stride_z;
  }
  /// Where what has that index in the grid stands in a field: there.
  [[nodiscard]] static MINIMOD_HD std::int64_t placed(std::int64_t index) { return index; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

}  // namespace minimod
