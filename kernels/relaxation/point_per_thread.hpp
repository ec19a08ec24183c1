/// Families `uncoalesced` and `coalesced`: one thread a node, all values from global memory; the threads of
/// the other colour do nothing. A node costs five loads and a store. In the first family rows stand right
/// behind each other, and the accesses of a warp begin anywhere in a line; in the second they are padded so
/// that it begins where a line does. Itu et al., "GPU Optimized Computation of Stencil Based Algorithms"
/// (RoEduNet 2011), sections III and IV; the paper relaxes from one array into another, these in place.
#pragma once

#include "kernels/relaxation/plate.hpp"

namespace minimod::relaxation {

template <class Real, int Dx, int Dy>
struct Coalesced : PlateShape<Real, Dx, Dy> {
  static constexpr const char* family = "coalesced";
  static constexpr const char* summary = "one thread a node, rows padded to lines of 128 B";
  struct Shared {};

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const PlateArgs<Real>& args, Shared&) const {
    const Index3 p = tile_point(args.box.begin, Coalesced::tile, block.index(), block.thread());
    if (args.box.contains(p) && args.is_of_colour(p)) args.relax_in_rows(p);
  }
};

template <class Real, int Dx, int Dy>
struct Uncoalesced : Coalesced<Real, Dx, Dy> {
  static constexpr const char* family = "uncoalesced";
  static constexpr const char* summary = "one thread a node, rows right behind each other";
  static constexpr Storage storage = Storage::packed_rows;
};

}  // namespace minimod::relaxation
