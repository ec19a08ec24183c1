/// What the 2.5-D shapes share: a 2-D block of threads marches down the box, each thread in its own lane
/// along z.
#pragma once

#include "kernels/shape.hpp"

namespace minimod {

/// The points of the box that one thread of a tile of Dx x Dy points marches down.
template <int Dx, int Dy, int R>
struct Lane {
  Index3 t;              ///< the thread in its tile
  Index3 p;              ///< its point in the first plane that the block marches; may stand outside the box
  int reach_x, reach_y;  ///< how far the points that any star of the box needs go on from p

  /// `slice`: planes of a block where the box is cut along z.
  template <class Block>
  static MINIMOD_HD Lane of(const Block& block, const Box3& box, int slice = 0) {
    const Index3 t = block.thread();
    const Index3 p = tile_point(box.begin, {Dx, Dy, slice}, block.index(), t);
    return {t, p, box.end.x + R - p.x, box.end.y + R - p.y};
  }
  /// Whether the values of the lane are needed by some star of the box; beyond, the field may end.
  [[nodiscard]] MINIMOD_HD bool fetches() const { return reach_x > 0 && reach_y > 0; }
  /// Whether the lane's points are in the box.
  [[nodiscard]] MINIMOD_HD bool computes() const { return reach_x > R && reach_y > R; }
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
