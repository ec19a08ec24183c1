/// Tiles of a family that are worth a try, and the work of a block of such a shape, for a tuner.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/grid.hpp"
#include "kernels/tiles/shape_family.hpp"

namespace minimod {

/// Threads of a warp of NVIDIA's GPUs; AMD's CDNA has waves of 64.
inline constexpr int usual_warp = 32;

/// The tiles of a family that a search tries, whether or not some GPU runs them, in the order of their
/// numbers: threads along x and y times points of a thread, and in volumes points along z; of families that
/// march along the slices of a volume, fewer threads and longer slices. Threads along x are multiples of a
/// half-warp (of a cube, whose sides are equal, they cannot be), a block has one warp at least, and a thread
/// 8 points at most, of a plane where it marches, whose queues fit its registers.
[[nodiscard]] std::vector<ShapeParameters> tiles_to_try(const TileFamily& family, int warp = usual_warp);

/// Tiles that some GPU runs (why_impossible). Of the constraints of Tang et al. 2013, section IV.C, these
/// hold: (i) threads along x are multiples of a half-warp, (ii) a block has no more threads than a GPU takes,
/// and (iii) no more shared memory. (iv), that the rows of a tile divide the grid, does not: points beyond
/// the box are masked.
[[nodiscard]] std::vector<NamedShape> tile_space(const TileFamily& family, int radius, Precision precision,
                                                 Equation equation = Equation::wave, int warp = usual_warp);

/// Work of a launch of a shape's inner kernel over a grid. A block works in rounds: a plane of its tile,
/// where it marches along z, or all of the tile.
struct BlockWork {
  double blocks = 0;             ///< blocks of the launch
  double rounds = 0;             ///< rounds of a block
  double warps = 0;              ///< warps of a block
  double points = 0;             ///< points that a block updates in a round
  double points_per_thread = 0;  ///< in a round
  double loaded = 0;             ///< values of u that a block takes from memory in a round, halo included
  double operations = 0;         ///< floating-point, of a point
  double star_loads = 0;         ///< loads of u for a point, from the memories that its warp shares
  double own_values = 0;         ///< values of a point that memory moves beside u: u⁻, (V Δt)², u⁺
  double rows_per_warp = 0;      ///< rows of the block's threads in a warp, on average
  double halo_fields = 1;        ///< fields that `loaded` counts: u alone
};
/// Without what its points load and compute: that it has in common with all tiles. `planes_beside`: of the
/// grid, that a block which marches loads before and behind its own.
[[nodiscard]] BlockWork work_of_tile(const TileFamily& family, const ShapeParameters& of, Extent3 blocks,
                                     Extent3 grid, int planes_beside, int warp);
[[nodiscard]] BlockWork work_of(const NamedShape& shape, Extent3 grid, int radius,
                                Equation equation = Equation::wave, int warp = usual_warp);

/// Rows of a block that a warp's threads lie in, on average.
[[nodiscard]] double mean_rows_per_warp(int row, int threads, int warp = usual_warp);

}  // namespace minimod
