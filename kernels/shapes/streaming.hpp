/// Streaming, as all 2.5-D shapes have it: a 2-D block of threads marches down the box, each thread with its
/// own points of each plane.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

/// The points of the box that one thread of a tile of W x H points marches down: PX x PY of each plane, TX
/// and TY apart, so that a warp's points lie side by side. `R` is how far the stars of the box reach at most.
template <int W, int H, int R, int PX = 1, int PY = 1>
struct Lane {
  static constexpr int TX = W / PX, TY = H / PY;
  Index3 t;              ///< the thread, and its first point in the tile
  Index3 p;              ///< the thread's point in the block's first plane; may stand outside the box
  int reach_x, reach_y;  ///< how far the points that any star of the box needs go on from p

  /// `slice`: planes of a block where the box is cut along z.
  template <class Block>
  static MINIMOD_HD Lane of(const Block& block, const Box3& box, int slice = 0) {
    const Index3 t = block.thread();
    const Index3 p = tile_point(box.begin, {W, H, slice}, block.index(), t);
    return {t, p, box.end.x + R - p.x, box.end.y + R - p.y};
  }
  /// Whether the value x, y from p is needed by some star of the box that reaches so far; beyond, the field
  /// may end.
  template <int UpperX = R, int UpperY = R>
  [[nodiscard]] MINIMOD_HD bool fetches(int x = 0, int y = 0) const {
    return reach_x > x + R - UpperX && reach_y > y + R - UpperY;
  }
  /// Whether the point x, y from p is in the box.
  [[nodiscard]] MINIMOD_HD bool computes(int x = 0, int y = 0) const { return fetches<0, 0>(x, y); }
};

/// Calls body(a, b, x, y) for the points of a thread, which stand x, y from its first one.
template <int TX, int TY, int PX, int PY, class Body>
MINIMOD_HD inline void for_points_of_lane(const Body& body) {
#pragma unroll
  for (int b = 0; b < PY; ++b) {
#pragma unroll
    for (int a = 0; a < PX; ++a) body(a, b, a * TX, b * TY);
  }
}

template <class Equation, int Array>
struct PointerOf {
  const ValueOf<Equation, Array>* at;
};
/// Where the first point of a thread stands in the arrays that are read beside it, plane after plane. (No
/// function gives `at`: of references that one returns, GPUs' compilers see too late where they lead.)
template <class Equation, class List = typename Equation::Beside>
struct Pointers;
template <class Equation, int... Array>
struct Pointers<Equation, ArrayList<Array...>> : PointerOf<Equation, Array>... {
  template <class Block>
  MINIMOD_HD Pointers(const Memory<Equation, Block>& memory, const Index3& p)
      : PointerOf<Equation, Array>{memory.template array<Array>() +
                                   memory.template layout<Array>().index(p.x, p.y, p.z)}... {}
  /// The value of an array x, y, z from there.
  template <int Of, class Block>
  [[nodiscard]] MINIMOD_HD auto value(const Memory<Equation, Block>& memory, int x, int y, int z) const {
    const auto& in = memory.template layout<Of>();
    return memory.value_in(PointerOf<Equation, Of>::at, x + y * in.stride_y + z * in.stride_z);
  }
  MINIMOD_HD void move_on(std::int64_t stride_z) { ((PointerOf<Equation, Array>::at += stride_z), ...); }
};

/// Calls body(z, phase) for begin <= z < end with phase = (z - begin) mod Period. Unrolled Period times: the
/// compiler knows `phase`, so that an index that rotates with it is a constant and costs no modulus.
template <int Period, class Body>
MINIMOD_HD inline void march(int begin, int end, const Body& body) {
  for (int first = begin; first < end; first += Period) {
#pragma unroll
    for (int phase = 0; phase < Period; ++phase) {
      if (first + phase >= end) break;
      body(first + phase, phase);
    }
  }
}

}  // namespace minimod
