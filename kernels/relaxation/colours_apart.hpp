/// Family `colours_apart` (ours): each colour in rows of its own, one thread a node of the colour that is
/// relaxed. No thread is idle, each access of a warp is one of neighbouring values, and of the colour that is
/// relaxed a half sweep reads and writes its own lines alone: 12 B a node and sweep in single precision,
/// where colours that lie among each other take 16.
#pragma once

#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

/// Dx, Dy: threads; the tile is twice as long along x.
template <class Real, int Dx, int Dy>
struct ColoursApart : PlateShape<Real, 2 * Dx, Dy> {
  static constexpr const char* family = "colours_apart";
  static constexpr const char* summary = "one thread a node of the colour, each colour in its own rows";
  static constexpr Extent3 threads{Dx, Dy, 1};
  static constexpr Storage storage = Storage::colours_apart;
  struct Shared {};

  /// The node of column pair k in row j, which must be one of the plate.
  static MINIMOD_HD void relax(const PlateArgs<Real>& args, int k, int j) {
    const int odd = (j + args.colour) & 1;  // the node is 2k + odd
    Real* const own = args.t + args.layout.in_colour(args.colour, k, j);
    const Real* const other = args.t + args.layout.in_colour(1 - args.colour, k, j);
    const std::int64_t pitch = args.layout.pitch;
    *own = relaxed(args.weights, *own, other[odd - 1], other[odd], other[-pitch], other[pitch]);
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const PlateArgs<Real>& args, Shared&) const {
    const Index3 p = tile_point({}, threads, block.index(), block.thread());
    const Index3 node{2 * p.x + ((p.y + args.colour) & 1), p.y, 0};
    if (args.box.contains(node)) relax(args, p.x, p.y);
  }
};

}  // namespace minimod::relaxation
