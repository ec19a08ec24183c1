/// Family `partial_shared`: the tile and the rows north and south of it in shared memory; its edges along x
/// take the node beyond from global memory, which spares the branches that fetch it for all. Dx (Dy + 2)
/// values of shared memory, one barrier. Itu et al. 2011, figure 4: the fastest of the paper.
#pragma once

#include "kernels/equations/heat.hpp"

namespace minimod::relaxation {

template <class Real, int Dx, int Dy>
struct PartialShared : ShapeDefaults {
  using Equation = Heat<Real>;
  static constexpr const char* family = "partial_shared";
  static constexpr FamilyNames names{{"partial_shared", "smem_partial"}};
  static constexpr Storage storage = Storage::aligned_rows;
  static constexpr Extent3 tile{Dx, Dy, 1};
  static constexpr Extent3 threads = tile;
  struct Shared {
    Real t[Dy + 2][Dx];
  };

  template <class Block>
  struct Node : MemoryPoint<Equation, Block> {
    const Shared& shared;
    Index3 own;
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real load(int x = 0, int y = 0) const {
      if ((x < 0 && own.x == 0) || (x > 0 && own.x == Dx - 1)) {
        return MemoryPoint<Equation, Block>::template load<Array>(x, y);
      }
      return shared.t[own.y + 1 + y][own.x + x];
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const PlateArgs<Real>& args, Shared& shared) const {
    const Index3 own = block.thread();
    const Index3 p = tile_point(args.box.begin, tile, block.index(), own);
    const OnePlane rows = Equation::template layout<Equation::t>(args);
    const Real* const here = args.t + rows.index(p.x, p.y, p.z);
    const auto fetch = [&](int dy) {
      if (p.x > args.n.x || p.y + dy > args.n.y) return;  // neither of the plate nor of its frame
      shared.t[own.y + 1 + dy][own.x] = here[dy * rows.stride_y];
    };
    fetch(0);
    if (own.y == 0) fetch(-1);
    if (own.y == Dy - 1) fetch(1);
    block.sync();
    if (is_computed<Equation>(args, p)) Equation::compute(Node<Block>{{{args, block}, p}, shared, own});
  }
};

}  // namespace minimod::relaxation
