/// Indices, extents, positions and boxes. Axis order everywhere: x fastest, z slowest and down.
#pragma once

#include <cstdint>

#if defined(__CUDACC__) || defined(__HIP__)
#define MINIMOD_HD __host__ __device__
#else
#define MINIMOD_HD
#endif

/// Before a function template that a loop of at_cpu_level calls. Code gets the level of the function that it
/// is inlined into; what is left outside stays at the least level, which is right everywhere, and slow.
#if defined(__GNUC__)
#define MINIMOD_INLINE __attribute__((always_inline)) inline
#define MINIMOD_INLINED __attribute__((always_inline))  // the same behind the parameters of a lambda
#else
#define MINIMOD_INLINE inline
#define MINIMOD_INLINED
#endif

namespace minimod {

struct Index3 {
  int x = 0, y = 0, z = 0;
  friend bool operator==(const Index3&, const Index3&) = default;
};

/// n / d, 0 or more over 1 or more, from a part of a whole on the next whole.
MINIMOD_HD constexpr int ceil_div(int n, int d) {
  return (n + d - 1) / d;
}

/// The least multiple of 1 or more that is no less than n, 0 or more.
template <class Int, class Multiple>
MINIMOD_HD constexpr Int round_up(Int n, Multiple multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// The index begin <= i < end that is nearest to i.
MINIMOD_HD constexpr int nearest_in(int i, int begin, int end) {
  return i < begin ? begin : i < end ? i : end - 1;
}

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

/// Every stride-th point along each axis from `first` on, `n` of them.
struct Lattice {
  Index3 first;
  Index3 stride{1, 1, 1};
  Extent3 n;
  [[nodiscard]] MINIMOD_HD Index3 at(int x, int y, int z) const {
    return {first.x + x * stride.x, first.y + y * stride.y, first.z + z * stride.z};
  }
  friend bool operator==(const Lattice&, const Lattice&) = default;
};

}  // namespace minimod
