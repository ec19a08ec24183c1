#pragma once

#include "kernels/stencils/tutorial/seven_point.hpp"

namespace minimod::tutorial {

/// A block of step 3, for any tile: its threads, and the floats that these share.
struct CoarsenedBlock {
  static MINIMOD_HD constexpr Extent3 threads(Extent3 tile) { return {tile.x, tile.y, 1}; }
  static constexpr int shared_floats(Extent3 tile) { return 3 * (tile.x + 2) * (tile.y + 2); }
};

/// Step 3: a thread a column of a slice of D planes, three of which are in shared memory.
template <int W, int H, int D>
struct Coarsened : ShapeDefaults {
  static constexpr Extent3 tile{W, H, D}, threads = CoarsenedBlock::threads(tile);
  struct Shared {
    float u[3][H + 2][W + 2];
  };
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    const Index3 t = block.thread(), end = args.box.end;
    const Index3 corner = tile_point(args.box.begin, tile, block.index(), {-1, -1, -1});
    const auto bring = [&](int k) {  // the k-th plane from the corner, in the place of the oldest
      for (int i = t.x + W * t.y; i < (W + 2) * (H + 2); i += W * H) {
        const int x = i % (W + 2), y = i / (W + 2);
        if (corner.x + x > end.x || corner.y + y > end.y) continue;
        shared.u[k % 3][y][x] = u_of(args, corner.x + x, corner.y + y, corner.z + k);
      }
    };
    const int x = t.x + 1, y = t.y + 1;
    bring(0);
    bring(1);
    for (int k = 1; k <= D && corner.z + k < end.z; ++k) {
      bring(k + 1);
      block.sync();
      const auto &above = shared.u[(k - 1) % 3], &u = shared.u[k % 3], &below = shared.u[(k + 1) % 3];
      const Index3 p{corner.x + x, corner.y + y, corner.z + k};
      if (args.box.contains(p)) {
        v_of(args, p.x, p.y, p.z) = seven_point(u[y][x], u[y][x - 1], u[y][x + 1], u[y - 1][x], u[y + 1][x],
                                                above[y][x], below[y][x]);
      }
      block.sync();
    }
  }
};

}  // namespace minimod::tutorial
