/// How the blocks of a launch of two fused steps share a box out.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// A box cut along y into strips that are marched one after the other along z, all the tiles of a strip at
/// once, one a block: the second step of a point needs the first of its neighbours in other blocks. The first
/// step is done on all rows of a strip; the second lacks neighbours in the R rows at an edge that another
/// strip continues, and so strips overlap by 2R rows.
struct StripWalk {
  Box3 box;
  Index3 first;  ///< point of the first tile, on a vector of the memory
  int tile_width = 0, tile_height = 0;
  int columns = 0, rows = 0;  ///< tiles of a strip
  int strips = 0;
  int overlap = 0;  ///< 2R

  [[nodiscard]] MINIMOD_HD int blocks() const { return columns * rows; }
  [[nodiscard]] MINIMOD_HD int planes() const { return box.end.z - box.begin.z; }
  [[nodiscard]] MINIMOD_HD int strip_height() const { return rows * tile_height; }
  /// Whether a block that begins a strip can never touch a plane that another still reads in the strip
  /// before. A block's first step is at most 16 planes ahead of its second, and so of the first step of the
  /// block beside it: strips must be deeper than their rows of tiles can be apart.
  [[nodiscard]] MINIMOD_HD bool keeps_strips_apart() const {
    return strips == 1 || planes() >= 16 * (rows + 2);
  }
  /// The first row of a strip.
  [[nodiscard]] MINIMOD_HD int strip_begin(int strip) const {
    return first.y + strip * (strip_height() - overlap);
  }
  /// The first point of a block's tile in a strip.
  [[nodiscard]] MINIMOD_HD Index3 tile_begin(int block, int strip) const {
    return {first.x + block % columns * tile_width, strip_begin(strip) + block / columns * tile_height,
            first.z};
  }
  /// The rows of a strip in which the step counted from 0 is done, [begin, end).
  [[nodiscard]] MINIMOD_HD int rows_begin(int strip, int step) const {
    return strip_begin(strip) + (strip > 0 && step > 0 ? overlap / 2 : 0);
  }
  [[nodiscard]] MINIMOD_HD int rows_end(int strip, int step) const {
    const int end = strip_begin(strip) + strip_height() - (strip + 1 < strips && step > 0 ? overlap / 2 : 0);
    return end < box.end.y ? end : box.end.y;
  }
  /// A neighbour of a block in its strip along x or y, the block itself where there is none.
  [[nodiscard]] MINIMOD_HD int neighbour(int block, int dx, int dy) const {
    const int x = block % columns + dx, y = block / columns + dy;
    return x < 0 || x >= columns || y < 0 || y >= rows ? block : x + y * columns;
  }
};

/// With as few rows of tiles as give the least strips. `most_blocks`: that can be on the GPU at once. None
/// (no strips) when a row of tiles alone has more.
[[nodiscard]] StripWalk plan_strips(const Box3& box, const Layout& at, int tile_width, int tile_height,
                                    int radius, int most_blocks);

}  // namespace minimod
