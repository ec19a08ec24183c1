#pragma once

#include "kernels/stencils/tutorial/seven_point.hpp"

namespace minimod::tutorial {

/// A block of step 4, for any tile: its threads, and the floats that these share.
struct RegisterTiledBlock {
  static MINIMOD_HD constexpr Extent3 threads(Extent3 tile) { return {tile.x, tile.y, 1}; }
  static constexpr int shared_floats(Extent3 tile) { return (tile.x + 2) * (tile.y + 2); }
};

/// Step 4: the same with one plane in shared memory; what stands above and below a thread's point is its own.
template <int W, int H, int D>
struct RegisterTiled : ShapeDefaults {
  static constexpr Extent3 tile{W, H, D}, threads = RegisterTiledBlock::threads(tile);
  struct Shared {
    float u[H + 2][W + 2];
  };
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    const Index3 t = block.thread(), end = args.box.end;
    Index3 p = tile_point(args.box.begin, tile, block.index(), t);
    const bool computes = p.x < end.x && p.y < end.y, has_value = p.x <= end.x && p.y <= end.y;
    const int x = t.x + 1, y = t.y + 1;
    auto& u = shared.u;
    float above = has_value ? u_of(args, p.x, p.y, p.z - 1) : 0.0F;
    float here = has_value ? u_of(args, p.x, p.y, p.z) : 0.0F;
    for (int k = 0; k < D && p.z < end.z; ++k, ++p.z) {
      const float below = has_value ? u_of(args, p.x, p.y, p.z + 1) : 0.0F;
      u[y][x] = here;
      if (computes && t.x == 0) u[y][0] = u_of(args, p.x - 1, p.y, p.z);
      if (computes && t.x == W - 1) u[y][W + 1] = u_of(args, p.x + 1, p.y, p.z);
      if (computes && t.y == 0) u[0][x] = u_of(args, p.x, p.y - 1, p.z);
      if (computes && t.y == H - 1) u[H + 1][x] = u_of(args, p.x, p.y + 1, p.z);
      block.sync();
      if (computes) {
        v_of(args, p.x, p.y, p.z) =
            seven_point(here, u[y][x - 1], u[y][x + 1], u[y - 1][x], u[y + 1][x], above, below);
      }
      block.sync();
      above = here;
      here = below;
    }
  }
};

}  // namespace minimod::tutorial
