/// What the code shapes share: how tiles cover a box. A shape is a struct template over the update, with
///   family, summary   names, one line each
///   tile, threads     points of a tile and threads of a block
///   default_tile      the bare family name stands for the first shape of the list with that tile
///   points_per_thread, vector_width   where a thread has a tile of points or loads vectors: both go into the
///                     name, `_r<x>x<y>` and, other than 4, `_v<width>`
///   extra_work        where a point costs other operations than the formula's
///   needs_eta_field   true where the PML kernel reads the 3-D array of eta
///   Shared            the block's shared memory
///   blocks(box)       blocks of a launch over a box
///   operator()(block, args, shared)   what one thread does.
/// `Block` gives `thread()`, `index()` (of the block), `sync()` (a barrier for all threads of the block,
/// which none may have left), and asynchronous copies: `copy_async(shared, global)` starts one, `commit()`
/// closes a group of this thread's copies, `wait<N>()` returns when at most its N latest groups are on their
/// way. Until then the target holds nothing; other threads see it after a barrier behind the wait.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// Floating-point operations a point beyond those of the formula as `evaluate` and the updates write it.
struct ExtraWork {
  int flop = 0;
  const char* why = "";  ///< empty: none, and the counted operations must be the formula's
};

MINIMOD_HD constexpr int ceil_div(int n, int d) {
  return (n + d - 1) / d;
}

MINIMOD_HD constexpr Extent3 blocks_covering(Extent3 n, Extent3 tile) {
  return {ceil_div(n.x, tile.x), ceil_div(n.y, tile.y), ceil_div(n.z, tile.z)};
}

/// The point of thread `t` in tile number `b` of the tiles that start at `begin`.
MINIMOD_HD constexpr Index3 tile_point(Index3 begin, Extent3 tile, Index3 b, Index3 t) {
  return {begin.x + b.x * tile.x + t.x, begin.y + b.y * tile.y + t.y, begin.z + b.z * tile.z + t.z};
}

}  // namespace minimod
