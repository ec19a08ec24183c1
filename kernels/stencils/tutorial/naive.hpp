#pragma once

#include "kernels/stencils/tutorial/seven_point.hpp"

namespace minimod::tutorial {

/// A block of step 1, for any tile: its threads, and the floats that these share.
struct NaiveBlock {
  static MINIMOD_HD constexpr Extent3 threads(Extent3 tile) { return {tile.x, tile.y, 1}; }
  static constexpr int shared_floats(Extent3) { return 0; }
};

/// Step 1: a thread a point, all seven values from memory.
template <int W, int H>
struct Naive : ShapeDefaults {
  static constexpr Extent3 tile{W, H, 1}, threads = NaiveBlock::threads(tile);
  struct Shared {};
  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared&) const {
    const Index3 p = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (!args.box.contains(p)) return;
    const auto row = args.layout.stride_y, plane = args.layout.stride_z;
    const float* const u = &u_of(args, p.x, p.y, p.z);
    v_of(args, p.x, p.y, p.z) = seven_point(u[0], u[-1], u[1], u[-row], u[row], u[-plane], u[plane]);
  }
};

}  // namespace minimod::tutorial
