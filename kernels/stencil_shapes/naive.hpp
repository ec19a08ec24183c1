/// Family `naive`: a thread a point of a plane, or V points side by side, nothing staged: all values straight
/// from memory, by vectors of V.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int W, int H, int V, bool ReadOnly>
struct Naive : ShapeDefaults {
  static constexpr Extent3 tile{W, H, 1}, threads{W / V, H, 1};
  struct Shared {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared&) const {
    const Index3 t = block.thread();
    const Index3 p = tile_point(args.box.begin, tile, block.index(), {V * t.x, t.y, 0});
    if (p.x >= args.box.end.x || p.y >= args.box.end.y) return;
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    const std::int64_t index = args.layout.index(p.x, p.y, p.z);
    Results<Equations, V> results;
    for_lanes<V>([&]<int Lane>() {
      Equations::compute(LaneOfMemory<Equations, Source, V, Lane>{memory, index, results});
    });
    results.store(memory, index, args.box.end.x - p.x);
  }
};

}  // namespace minimod::stencil
