/// Family `red_black`: points of even x + y + z first, then the others, a launch for each colour. A thread a
/// point of the colour, nothing staged.
///
/// An input that an output takes the place of has the new values of the first colour when the second one
/// reads them: those stand in the output, so that no launch writes what it reads. Point relaxation
/// (Gauss-Seidel) in the order of a chess board, Itu et al. (2011), there in 2-D and in place. Of the
/// equations it wants more:
///   heir(array)   the array that takes its place after the step, or -1.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

template <class Equation, int W, int H, int Colour>
struct RedBlack : ShapeDefaults {
  static constexpr const char* family = "red_black";
  static constexpr Extent3 tile{W, H, 1}, threads{W / 2, H, 1};
  static constexpr int colours = 2;
  static constexpr bool is_plane = true;
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind) {
    return {of.tile.x / 2, of.tile.y, 1};
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) {
    return of.tile.x % 2 == 0 ? Refusal{} : Refusal{"its tile is odd along x"};
  }
  struct Shared {};

  template <class Block>
  struct Point : MemoryPoint<Equation, Block> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr int heir = Equation::heir(Array);
      using InMemory = MemoryPoint<Equation, Block>;
      if constexpr (heir >= 0 && Colour == 1) {
        if ((x + y + z) % 2 != 0) return InMemory::template load<heir>(x, y, z);
      }
      return InMemory::template load<Array>(x, y, z);
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared&) const {
    const Index3 t = block.thread();
    Index3 p = tile_point(args.box.begin, tile, block.index(), {2 * t.x, t.y, 0});
    p.x += (p.x + p.y + p.z + Colour) & 1;
    if (!args.box.contains(p)) return;
    Equation::compute(Point<Block>{{{args, block}, p}});
  }
};

}  // namespace minimod
