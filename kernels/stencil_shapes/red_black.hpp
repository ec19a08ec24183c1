/// Family `red_black`: points of even x + y + z first, then the others, a launch for each colour. A thread a
/// point of the colour, nothing staged.
///
/// An input that an output takes the place of has the new values of the first colour when the second one
/// reads them: those stand in the output, so that no launch writes what it reads. Point relaxation
/// (Gauss-Seidel) in the order of a chess board, Itu et al. (2011), there in 2-D and in place. Of the
/// equations it wants more:
///   heir(array)   the array that takes its place after the step, or -1.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int W, int H, int Colour, bool ReadOnly>
struct RedBlack : ShapeDefaults {
  static constexpr Extent3 tile{W, H, 1}, threads{W / 2, H, 1};
  struct Shared {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Source>
  struct Point : MemoryPoint<Equations, Source> {
    template <int Array, int X, int Y, int Z>
    [[nodiscard]] MINIMOD_HD typename Equations::Real load() const {
      constexpr int heir = Equations::heir(Array);
      constexpr bool is_new = heir >= 0 && Colour == 1 && (X + Y + Z) % 2 != 0;
      return MemoryPoint<Equations, Source>::template load < is_new ? heir : Array, X, Y, Z > ();
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared&) const {
    const Index3 t = block.thread();
    Index3 p = tile_point(args.box.begin, tile, block.index(), {2 * t.x, t.y, 0});
    p.x += (p.x + p.y + p.z + Colour) & 1;
    if (!args.box.contains(p)) return;
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    Equations::compute(Point<Source>{{memory, args.layout.index(p.x, p.y, p.z)}});
  }
};

}  // namespace minimod::stencil
