#pragma once

#include "kernels/stencils/tutorial/seven_point.hpp"

namespace minimod::tutorial {

/// A block of step 2, for any tile: its threads, and the floats that these share.
struct TiledBlock {
  static MINIMOD_HD constexpr Extent3 threads(Extent3 tile) { return tile; }
  static constexpr int shared_floats(Extent3 tile) { return (tile.x + 2) * (tile.y + 2) * (tile.z + 2); }
};

/// Step 2: a thread a point of a 3-D tile, which comes to shared memory with a halo of one point.
template <int W, int H, int D>
struct Tiled : ShapeDefaults {
  static constexpr Extent3 tile{W, H, D}, threads = TiledBlock::threads(tile);
  struct Shared {
    float u[D + 2][H + 2][W + 2];
  };
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    const Index3 t = block.thread(), end = args.box.end;
    const Index3 corner = tile_point(args.box.begin, tile, block.index(), {-1, -1, -1});
    auto& u = shared.u;
    for (int i = t.x + W * (t.y + H * t.z); i < (W + 2) * (H + 2) * (D + 2); i += W * H * D) {
      const int x = i % (W + 2), y = i / (W + 2) % (H + 2), z = i / (W + 2) / (H + 2);
      const Index3 q{corner.x + x, corner.y + y, corner.z + z};
      if (q.x <= end.x && q.y <= end.y && q.z <= end.z) u[z][y][x] = u_of(args, q.x, q.y, q.z);
    }
    block.sync();
    const int x = t.x + 1, y = t.y + 1, z = t.z + 1;
    const Index3 p{corner.x + x, corner.y + y, corner.z + z};
    if (!args.box.contains(p)) return;
    v_of(args, p.x, p.y, p.z) = seven_point(u[z][y][x], u[z][y][x - 1], u[z][y][x + 1], u[z][y - 1][x],
                                            u[z][y + 1][x], u[z - 1][y][x], u[z + 1][y][x]);
  }
};

}  // namespace minimod::tutorial
