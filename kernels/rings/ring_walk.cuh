/// How the blocks of `tma_ring` walk over their tiles, whatever the equation.
#pragma once

#include <algorithm>

#include "kernels/device/launch_facts.cuh"
#include "kernels/tiles/tile_walk.hpp"

namespace minimod {

/// The walk over a box by at most so many blocks, 0 for as many as fit. On an H200 86 blocks reach the rate
/// of all 132 in the inner update; a piece costs 2 R planes of u, which is a quarter of the traffic, and
/// about as long again until its pipeline is full.
[[nodiscard]] inline TileWalk ring_walk(const Box3& box, const Layout& at, Extent3 tile, int most_blocks,
                                        bool damps, int radius) {
  const int all = multiprocessors(), most = most_blocks > 0 ? std::min(most_blocks, all) : all;
  return plan_walk(box, at, tile, {most, damps ? most : most * 2 / 3, double{1} * radius});
}

}  // namespace minimod
