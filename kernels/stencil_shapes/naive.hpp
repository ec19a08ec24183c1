/// Family `naive`: a thread a point of a plane, nothing staged: all values straight from memory.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int Dx, int Dy, bool ReadOnly>
struct Naive : ShapeDefaults {
  static constexpr Extent3 tile{Dx, Dy, 1}, threads = tile;
  struct Shared {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared&) const {
    const Index3 p = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (!args.box.contains(p)) return;
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    Equations::compute(MemoryPoint<Equations, Source>{memory, args.layout.index(p.x, p.y, p.z)});
  }
};

}  // namespace minimod::stencil
