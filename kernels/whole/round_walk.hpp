/// How the blocks of a launch of two fused steps share a box out.
#pragma once

#include "kernels/shape.hpp"

namespace minimod {

/// A part of a box whose tiles are marched along z at once, one a block: the second step of a point needs the
/// first of its neighbours in other blocks. It is some columns and rows of tiles, and perhaps several chunks
/// of its planes, which are marched beside each other.
///
/// The first step is done on all its points; the second lacks neighbours in the R points at an edge that
/// another round or chunk continues, and so these overlap by 2R points; along x by more, so that rounds begin
/// on lines of the memory.
struct Round {
  int x = 0, y = 0;  ///< first point of its first tile
  short columns = 0, rows = 0, chunks = 1;
  int own_planes = 0;     ///< in which a chunk does the second step; the last perhaps fewer
  int planes = 0;         ///< planes that all its chunks are marched over, perhaps some beyond their end
  int planes_before = 0;  ///< planes of the rounds before
  [[nodiscard]] MINIMOD_HD int blocks() const { return columns * rows * chunks; }
};

/// The rounds of a launch. Those with the most blocks come first: a block that has no part in a round has
/// none in later ones.
struct RoundWalk {
  static constexpr int most_rounds = 96;

  Box3 box;
  Index3 first;  ///< point of the first tile, on a vector of the memory
  int tile_width = 0, tile_height = 0;
  int radius = 0;
  /// Points lost to step two at an edge along x or y where another round goes on: R at least.
  int lost_x = 0, lost_y = 0;
  int count = 0;
  Round rounds[most_rounds];

  [[nodiscard]] MINIMOD_HD int blocks() const { return count == 0 ? 0 : rounds[0].blocks(); }
  /// Rounds that a block has a part in.
  [[nodiscard]] MINIMOD_HD int rounds_of(int block) const {
    int mine = 0;
    while (mine < count && block < rounds[mine].blocks()) ++mine;
    return mine;
  }
  /// Planes that the first rounds are marched over.
  [[nodiscard]] MINIMOD_HD int planes_of(int first_rounds) const {
    return first_rounds == 0 ? 0 : rounds[first_rounds - 1].planes_before + rounds[first_rounds - 1].planes;
  }
  [[nodiscard]] static MINIMOD_HD int chunk_of(const Round& round, int block) {
    return block / (round.columns * round.rows);
  }
  /// The planes of a chunk in which the step counted from 0 is done.
  [[nodiscard]] MINIMOD_HD int planes_begin(const Round& round, int chunk, int step) const {
    return box.begin.z + chunk * round.own_planes - (chunk > 0 && step == 0 ? radius : 0);
  }
  [[nodiscard]] MINIMOD_HD int planes_end(const Round& round, int chunk, int step) const {
    const int end = box.begin.z + (chunk + 1) * round.own_planes + (step == 0 ? radius : 0);
    return chunk + 1 == round.chunks || end > box.end.z ? box.end.z : end;
  }
  /// The first point of a block's tile in a round.
  [[nodiscard]] MINIMOD_HD Index3 tile_begin(const Round& round, int block) const {
    return {round.x + block % round.columns * tile_width,
            round.y + block / round.columns % round.rows * tile_height,
            planes_begin(round, chunk_of(round, block), 0)};
  }
  /// The points of a block's chunk in which the step counted from 0 is done. Along x it begins, and ends but
  /// at the box's end, on a vector of the memory.
  [[nodiscard]] MINIMOD_HD Box3 done_by(const Round& round, int block, int step) const {
    const int chunk = chunk_of(round, block);
    const int at_x = step > 0 ? lost_x : 0, at_y = step > 0 ? lost_y : 0;
    const int end_x = round.x + round.columns * tile_width, end_y = round.y + round.rows * tile_height;
    return {{round.x + (round.x > first.x ? at_x : 0), round.y + (round.y > first.y ? at_y : 0),
             planes_begin(round, chunk, step)},
            {end_x < box.end.x ? end_x - at_x : box.end.x, end_y < box.end.y ? end_y - at_y : box.end.y,
             planes_end(round, chunk, step)}};
  }
  /// A neighbour of a block in its round along x or y, the block itself where there is none.
  [[nodiscard]] static MINIMOD_HD int neighbour(const Round& round, int block, int dx, int dy) {
    const int x = block % round.columns + dx, y = block / round.columns % round.rows + dy;
    return x < 0 || x >= round.columns || y < 0 || y >= round.rows ? block : block + dx + dy * round.columns;
  }
};

}  // namespace minimod
