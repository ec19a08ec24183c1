/// Family `full_shared`: the tile and one node on each of its four sides in shared memory. Each thread
/// fetches its own node, those at an edge the one beyond, too, which takes branches for the west and the east
/// side that a warp does not go through together. (Dx + 2)(Dy + 2) values of shared memory, one barrier.
/// Itu et al. 2011, figure 3.
#pragma once

#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

template <class Real, int Dx, int Dy>
struct FullShared : PlateShape<Real, Dx, Dy> {
  static constexpr const char* family = "full_shared";
  static constexpr const char* summary = "tile and its four sides in shared memory";
  struct Shared {
    Real t[Dy + 2][Dx + 2];
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const PlateArgs<Real>& args, Shared& shared) const {
    const Index3 own = block.thread();
    const Index3 p = tile_point(args.box.begin, FullShared::tile, block.index(), own);
    const auto fetch = [&](int dx, int dy) {
      if (!args.has_node(p.x + dx, p.y + dy)) return;
      shared.t[own.y + 1 + dy][own.x + 1 + dx] = args.t[args.layout.in_rows(p.x + dx, p.y + dy)];
    };
    fetch(0, 0);
    if (own.x == 0) fetch(-1, 0);
    if (own.x == Dx - 1) fetch(1, 0);
    if (own.y == 0) fetch(0, -1);
    if (own.y == Dy - 1) fetch(0, 1);
    block.sync();

    if (!args.box.contains(p) || !args.is_of_colour(p)) return;
    const Real* const here = &shared.t[own.y + 1][own.x + 1];
    args.t[args.layout.in_rows(p.x, p.y)] =
        relaxed(args.weights, here[0], here[-1], here[1], here[-(Dx + 2)], here[Dx + 2]);
  }
};

}  // namespace minimod::relaxation
