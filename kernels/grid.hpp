/// Extents, boxes, and the layout of a field in memory. Axis order everywhere: x fastest, z slowest and down.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define MINIMOD_HD __host__ __device__
#else
#define MINIMOD_HD
#endif

namespace minimod {

/// Half the order of the spatial difference: the stencil reaches four points along each axis.
inline constexpr int stencil_radius = 4;

struct Index3 {
  int x = 0, y = 0, z = 0;
  friend bool operator==(const Index3&, const Index3&) = default;
};

/// Number of points along each axis.
struct Extent3 {
  int x = 0, y = 0, z = 0;
  [[nodiscard]] MINIMOD_HD constexpr std::int64_t points() const { return std::int64_t{x} * y * z; }
  friend constexpr bool operator==(const Extent3&, const Extent3&) = default;
};

/// A position or a distance in metres.
struct Point3 {
  double x = 0, y = 0, z = 0;
  friend bool operator==(const Point3&, const Point3&) = default;
};

/// The points begin <= (x, y, z) < end.
struct Box3 {
  Index3 begin, end;
  [[nodiscard]] MINIMOD_HD Extent3 extent() const {
    return {end.x - begin.x, end.y - begin.y, end.z - begin.z};
  }
  [[nodiscard]] MINIMOD_HD bool empty() const {
    return end.x <= begin.x || end.y <= begin.y || end.z <= begin.z;
  }
  [[nodiscard]] MINIMOD_HD bool contains(Index3 p) const {
    return p.x >= begin.x && p.x < end.x && p.y >= begin.y && p.y < end.y && p.z >= begin.z && p.z < end.z;
  }
  [[nodiscard]] std::int64_t points() const { return empty() ? 0 : extent().points(); }
  friend bool operator==(const Box3&, const Box3&) = default;
};

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
};

/// Rows start on multiples of this many floats (128 B, one line of a GPU's cache), odd multiples apart.
inline constexpr int row_alignment = 32;

/// Values of the vectors that the shapes load and store at once (16 B).
inline constexpr int vector_alignment = 4;

/// The points of a run: `n` of them, PML included, `spacing` apart (m), the halo outside.
struct Grid {
  Extent3 n;
  Point3 spacing;
  Layout layout;
};

/// A grid whose storage has a halo of `stencil_radius` points on every side, and in which the points of the
/// x index `aligned_x` (the first of the inner box) are aligned to 128 B.
[[nodiscard]] Grid make_grid(Extent3 n, Point3 spacing, int aligned_x);

/// Storage from `first` on of the points of `box` alone, without a halo (for fields that are only met inside
/// the box). Its rows begin and end on vectors, and a vector of four points of `field` is one here too.
[[nodiscard]] Layout box_layout(const Box3& box, const Layout& field, std::int64_t first);

}  // namespace minimod
