/// Family `partial_shared`: the tile and the rows north and south of it in shared memory; its edges along x
/// take the node beyond from global memory, which spares the branches that fetch it for all. Dx (Dy + 2)
/// values of shared memory, one barrier. Itu et al. 2011, figure 4: the fastest of the paper.
#pragma once

#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

template <class Real, int Dx, int Dy>
struct PartialShared : PlateShape<Real, Dx, Dy> {
  static constexpr const char* family = "partial_shared";
  static constexpr const char* summary = "tile and the rows beside it in shared memory";
  struct Shared {
    Real t[Dy + 2][Dx];
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const PlateArgs<Real>& args, Shared& shared) const {
    const Index3 own = block.thread();
    const Index3 p = tile_point(args.box.begin, PartialShared::tile, block.index(), own);
    Real* const here = args.t + args.layout.in_rows(p.x, p.y);
    const auto fetch = [&](int dy) {
      if (args.has_node(p.x, p.y + dy)) shared.t[own.y + 1 + dy][own.x] = here[dy * args.layout.pitch];
    };
    fetch(0);
    if (own.y == 0) fetch(-1);
    if (own.y == Dy - 1) fetch(1);
    block.sync();

    if (!args.box.contains(p) || !args.is_of_colour(p)) return;
    const Real* const row = shared.t[own.y + 1];
    const Real west = own.x > 0 ? row[own.x - 1] : here[-1];
    const Real east = own.x < Dx - 1 ? row[own.x + 1] : here[1];
    *here = relaxed(args.weights, row[own.x], west, east, shared.t[own.y][own.x], shared.t[own.y + 2][own.x]);
  }
};

}  // namespace minimod::relaxation
