/// What the code shapes share: how tiles cover a box. A shape is a struct template over the update, with
///   family, summary   names, one line each
///   tile, threads     points of a tile and threads of a block
///   default_tile      the bare family name stands for the first shape of the list with that tile
///   what it says otherwise than ShapeDefaults, which it inherits
///   Shared            the block's shared memory
///   blocks(box)       blocks of a launch over a box
///   operator()(block, args, shared)   what one thread does.
/// `Block` gives `thread()`, `index()` (of the block), `sync()` (a barrier for all threads of the block,
/// which none may have left), `read(global)` (values side by side, at once), `read_only(global)` (the same of
/// what no thread of the launch writes), and asynchronous copies: `copy_async(shared, global)` starts one,
/// `commit()` closes a group of this thread's copies, `wait<N>()` returns when at most its N latest groups
/// are on their way. Until then the target holds nothing; other threads see it after a barrier behind the
/// wait.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// Floating-point operations a point beyond those of the formula as `evaluate` and the updates write it.
struct ExtraWork {
  int flop = 0;
  const char* why = "";  ///< empty: none, and the counted operations must be the formula's
};

/// What most shapes say of themselves.
struct ShapeDefaults {
  /// Where a thread has a tile of points, which goes into the name as `_r<x>x<y>`.
  static constexpr Extent3 points_per_thread{0, 0, 0};
  static constexpr int vector_width =
      4;  ///< values of a vector load; other than 4 goes into the name, `_v<width>`
  static constexpr ExtraWork extra_work{};
  /// What its sums are called: shapes of one name give the same bits. Empty: those of each tile are its own.
  static constexpr const char* sums = "star";
  static constexpr bool needs_eta_field = false;  ///< the PML kernel reads the 3-D array of eta
  static constexpr bool needs_v16 = false;        ///< the inner kernel reads codes of (V Δt)²
  static constexpr int blocks_per_multiprocessor =
      0;  ///< that should fit, which bounds the registers; 0: no bound
};

/// Whether threads may have equal shares of a tile: along each axis a whole number of its points each. A tile
/// that streams along z has no extent there.
constexpr bool shares_tile(Extent3 tile, Extent3 threads) {
  const auto divides = [](int n, int d) { return d > 0 && n % d == 0; };
  return divides(tile.x, threads.x) && divides(tile.y, threads.y) && divides(tile.z, threads.z);
}

/// Fails to compile where a tiled shape's threads cannot be those of a block.
template <class Shape>
constexpr void check_threads() {
  static_assert(
      Shape::threads.points() >= 1 && Shape::threads.points() <= 1024,
      "a block has 1 to 1024 threads: look at the family's `threads`, or at the tile in shape_list.hpp");
  static_assert(
      shares_tile(Shape::tile, Shape::threads),
      "the tile is no multiple of the family's `threads` along x, y or z: some points would have none");
}

MINIMOD_HD constexpr int ceil_div(int n, int d) {
  return (n + d - 1) / d;
}

/// Tiles without an extent along z stream along it.
MINIMOD_HD constexpr Extent3 blocks_covering(Extent3 n, Extent3 tile) {
  return {ceil_div(n.x, tile.x), ceil_div(n.y, tile.y), tile.z > 0 ? ceil_div(n.z, tile.z) : 1};
}

/// The point of thread `t` in tile number `b` of the tiles that start at `begin`.
MINIMOD_HD constexpr Index3 tile_point(Index3 begin, Extent3 tile, Index3 b, Index3 t) {
  return {begin.x + b.x * tile.x + t.x, begin.y + b.y * tile.y + t.y, begin.z + b.z * tile.z + t.z};
}

}  // namespace minimod
