/// Family `gmem`: 3-D blocks, one thread a point, nothing staged: all 25 values of u straight from global
/// memory (25 loads of u a point, served by L1 and L2), no shared memory, no barrier. Sai et al.,
/// "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.1.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy, int Dz>
struct Gmem : ShapeDefaults {
  static constexpr const char* family = "gmem";
  static constexpr const char* summary = "3-D blocks, loads straight from global memory";
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};  // fastest of the family on a V100 (Table II)
  static constexpr Extent3 threads = tile;
  struct Shared {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared&) const {
    const Index3 p = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (!args.box.contains(p)) return;
    const Layout& at = args.layout;
    update_point<Update>(
        args, p,
        MemoryStar<typename Update::Real>{args.u + at.index(p.x, p.y, p.z), at.stride_y, at.stride_z});
  }
};

}  // namespace minimod
