/// A solution of the tutorial's last exercise (kernels/stencils/tutorial/README.md), in the place of
/// kernels/stencils/tutorial/register_tiled.hpp.
#pragma once

#include "kernels/stencils/tutorial/seven_point.hpp"

namespace minimod::tutorial {

struct RegisterTiledBlock {
  static MINIMOD_HD constexpr Extent3 threads(Extent3 tile) { return {tile.x, tile.y / 2, 1}; }
  static constexpr int shared_floats(Extent3 tile) { return (tile.x + 2) * (tile.y + 2); }
};

/// Step 4 with two points a thread, half a tile apart along y.
template <int W, int H, int D>
struct RegisterTiled : ShapeDefaults {
  static_assert(H % 2 == 0, "a thread has two rows");
  static constexpr Extent3 tile{W, H, D}, threads = RegisterTiledBlock::threads(tile);
  struct Shared {
    float u[H + 2][W + 2];
  };
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    const Index3 t = block.thread(), end = args.box.end;
    const Index3 first = tile_point(args.box.begin, tile, block.index(), t);
    const auto row_of = [&](int r) { return first.y + r * H / 2; };
    const auto has_value = [&](int r) { return first.x <= end.x && row_of(r) <= end.y; };
    const auto computes = [&](int r) { return first.x < end.x && row_of(r) < end.y; };
    auto& u = shared.u;
    float above[2] = {}, here[2] = {}, below[2] = {};
    for (int r = 0; r < 2; ++r) {
      if (!has_value(r)) continue;
      above[r] = u_of(args, first.x, row_of(r), first.z - 1);
      here[r] = u_of(args, first.x, row_of(r), first.z);
    }
    for (int z = first.z; z < first.z + D && z < end.z; ++z) {
      for (int r = 0; r < 2; ++r) {
        const int x = t.x + 1, row = t.y + r * H / 2, y = row + 1;
        below[r] = has_value(r) ? u_of(args, first.x, row_of(r), z + 1) : 0.0F;
        u[y][x] = here[r];
        if (!computes(r)) continue;
        if (t.x == 0) u[y][0] = u_of(args, first.x - 1, row_of(r), z);
        if (t.x == W - 1) u[y][W + 1] = u_of(args, first.x + 1, row_of(r), z);
        if (row == 0) u[0][x] = u_of(args, first.x, row_of(r) - 1, z);
        if (row == H - 1) u[H + 1][x] = u_of(args, first.x, row_of(r) + 1, z);
      }
      block.sync();
      for (int r = 0; r < 2; ++r) {
        const int x = t.x + 1, y = t.y + r * H / 2 + 1;
        if (computes(r)) {
          v_of(args, first.x, row_of(r), z) =
              seven_point(here[r], u[y][x - 1], u[y][x + 1], u[y - 1][x], u[y + 1][x], above[r], below[r]);
        }
        above[r] = here[r];
        here[r] = below[r];
      }
      block.sync();
    }
  }
};

}  // namespace minimod::tutorial
