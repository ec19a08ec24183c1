/// How the blocks of a persistent launch walk over the tiles of a box.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// The tiles of a box: columns of tile.x x tile.y points, cut along z into pieces of at most `planes`. Tiles
/// are numbered x fastest, z slowest; block b takes the tiles b, b + blocks, b + 2 blocks … : one a round.
struct TileWalk {
  Box3 box;
  Index3 first;   ///< point of the first tile, on a vector of the memory
  Extent3 tile;   ///< z: planes of a piece
  Extent3 tiles;  ///< along each axis
  int blocks = 0;

  [[nodiscard]] MINIMOD_HD int count() const { return tiles.x * tiles.y * tiles.z; }
  [[nodiscard]] MINIMOD_HD int rounds() const { return ceil_div(count(), blocks); }
  /// Blocks that have a tile in that round.
  [[nodiscard]] MINIMOD_HD int blocks_in_round(int round) const {
    const int left = count() - round * blocks;
    return left < blocks ? left : blocks;
  }
  /// The points of a tile; along x and y it may reach beyond the box, along z it does not.
  [[nodiscard]] MINIMOD_HD Box3 points(int number) const {
    const int row = number / tiles.x;
    const Index3 begin = tile_point(first, tile, {number % tiles.x, row % tiles.y, row / tiles.y}, {0, 0, 0});
    const int end_z = begin.z + tile.z < box.end.z ? begin.z + tile.z : box.end.z;
    return {begin, {begin.x + tile.x, begin.y + tile.y, end_z}};
  }
};

/// Figures that decide how the tiles are cut and how many blocks walk over them.
struct WalkTuning {
  int multiprocessors = 1;  ///< multiprocessors that the launch may take, one block each
  int saturating = 1;       ///< blocks from which on more do not go faster, as the memory is at its limit
  double planes_lost = 0;   ///< time that a piece takes beyond that of its planes, in planes
};

/// Walks over tiles of the width and height of `tile` with the cuts along z and the number of blocks that
/// promise to be fastest: every round costs its planes, and as much with a few blocks as with `saturating`.
/// No tiles and no blocks over an empty box.
[[nodiscard]] TileWalk plan_walk(const Box3& box, const Layout& at, Extent3 tile, const WalkTuning& tuning);

}  // namespace minimod
