#include "kernels/strip_walk.hpp"

#include <algorithm>

namespace minimod {

StripWalk plan_strips(const Box3& box, const Layout& at, int tile_width, int tile_height, int radius,
                      int most_blocks) {
  StripWalk walk;
  walk.box = box;
  walk.first = first_of_vectors(box, at);
  walk.tile_width = tile_width;
  walk.tile_height = tile_height;
  walk.overlap = 2 * radius;
  walk.columns = ceil_div(box.end.x - walk.first.x, tile_width);
  const int height = box.end.y - box.begin.y;
  const auto strips_of = [&](int rows) {
    const int strip = rows * tile_height;
    return height <= strip ? 1 : ceil_div(height - walk.overlap, strip - walk.overlap);
  };
  const int most_rows = std::min(most_blocks / walk.columns, ceil_div(height, tile_height));
  if (most_rows == 0) return walk;
  walk.strips = strips_of(most_rows);
  walk.rows = most_rows;
  while (walk.rows > 1 && strips_of(walk.rows - 1) == walk.strips) --walk.rows;
  return walk;
}

}  // namespace minimod
