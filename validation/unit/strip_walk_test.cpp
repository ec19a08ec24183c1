/// The strips of a launch of two fused steps: what each step writes, and that the second never needs what no
/// block of its strip has written.
#include "kernels/strip_walk.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "validation/unit/box_from.hpp"

using namespace minimod;

namespace {

constexpr int R = stencil_radius;

/// The block that has a row of the first column of tiles.
int block_of_row(const StripWalk& walk, int strip, int y) {
  return (y - walk.strip_begin(strip)) / walk.tile_height * walk.columns;
}

bool is_in_box(const StripWalk& walk, int y) {
  return y >= walk.box.begin.y && y < walk.box.end.y;
}

/// Whether a strip has the first step of the rows that the second step of row y needs, in the block of the
/// row or in a neighbour that it watches.
bool has_first_step_around(const StripWalk& walk, int strip, int y) {
  const int own = block_of_row(walk, strip, y);
  for (int m = -R; m <= R; ++m) {
    if (!is_in_box(walk, y + m)) continue;  // the PML's
    if (y + m < walk.rows_begin(strip, 0) || y + m >= walk.rows_end(strip, 0)) return false;
    const int block = block_of_row(walk, strip, y + m);
    if (block != own && block != walk.neighbour(own, 0, m < 0 ? -1 : 1)) return false;
  }
  return true;
}

/// Whether a step is done on rows of the box alone.
bool stays_in_box(const StripWalk& walk, int step) {
  for (int strip = 0; strip < walk.strips; ++strip) {
    if (walk.rows_begin(strip, step) < walk.box.begin.y || walk.rows_end(strip, step) > walk.box.end.y)
      return false;
  }
  return true;
}

/// The strips in which a step is done on each row of the box.
std::vector<int> times_done(const StripWalk& walk, int step) {
  std::vector<int> times(walk.box.end.y - walk.box.begin.y);
  for (int strip = 0; strip < walk.strips; ++strip) {
    for (int y = walk.rows_begin(strip, step); y < walk.rows_end(strip, step); ++y) {
      ++times[y - walk.box.begin.y];
    }
  }
  return times;
}

void check_rows(const StripWalk& walk) {
  REQUIRE((stays_in_box(walk, 0) && stays_in_box(walk, 1)));
  const std::vector<int> first = times_done(walk, 0), second = times_done(walk, 1);
  CHECK(std::all_of(first.begin(), first.end(), [](int times) { return times >= 1; }));
  CHECK(std::all_of(second.begin(), second.end(), [](int times) { return times == 1; }));
  int lacking = 0, in_no_tile = 0;
  for (int strip = 0; strip < walk.strips; ++strip) {
    for (int y = walk.rows_begin(strip, 1); y < walk.rows_end(strip, 1); ++y) {
      lacking += has_first_step_around(walk, strip, y) ? 0 : 1;
      const Index3 tile = walk.tile_begin(block_of_row(walk, strip, y), strip);
      in_no_tile += y >= tile.y && y < tile.y + walk.tile_height ? 0 : 1;
    }
  }
  CHECK(lacking == 0);
  CHECK(in_no_tile == 0);
}

void check_columns(const StripWalk& walk) {
  const Index3 first = walk.tile_begin(0, 0), last = walk.tile_begin(walk.columns - 1, 0);
  CHECK((first.x <= walk.box.begin.x && first.x > walk.box.begin.x - vector_alignment));
  CHECK((first.y == walk.box.begin.y && first.z == walk.box.begin.z));
  CHECK(last.x < walk.box.end.x);
  CHECK(last.x + walk.tile_width >= walk.box.end.x);
}

/// A neighbour is the block next to it in the strip, and has this one for its neighbour; a block at the edge
/// is its own.
void check_neighbours(const StripWalk& walk) {
  int wrong = 0;
  for (int block = 0; block < walk.blocks(); ++block) {
    const Index3 tile = walk.tile_begin(block, 0);
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const int x = block % walk.columns + dx, y = block / walk.columns + dy;
      const bool is_there = x >= 0 && x < walk.columns && y >= 0 && y < walk.rows;
      const int neighbour = walk.neighbour(block, dx, dy);
      if (neighbour < 0 || neighbour >= walk.blocks()) FAIL("no such block");
      const Index3 next = walk.tile_begin(neighbour, 0);
      const int steps = is_there ? 1 : 0;
      wrong += next.x - tile.x != steps * dx * walk.tile_width;
      wrong += next.y - tile.y != steps * dy * walk.tile_height;
      wrong += walk.neighbour(neighbour, -dx, -dy) != block && is_there;
    }
  }
  CHECK(wrong == 0);
}

Layout layout_around(const Box3& box) {
  return make_grid({box.end.x + 5, box.end.y + 5, box.end.z + 5}, {1, 1, 1}, 27).layout;
}

}  // namespace

TEST_CASE("Strips share a box out so that the second step finds the first around it", "[unit]") {
  const Index3 begin = GENERATE(Index3{27, 27, 27}, Index3{0, 0, 0}, Index3{30, 1, 2});
  const int most_blocks = GENERATE(1, 2, 3, 14, 78, 132, 1000);
  const int tile_height = GENERATE(16, 32);
  for (const int width : {1, 61, 64, 65, 130, 700, 946, 4000}) {
    for (const int height : {1, 7, 8, 9, 31, 32, 33, 56, 57, 64, 65, 300, 384, 385, 400, 946, 2000}) {
      const Box3 box = box_from(begin, {width, height, 50});
      const StripWalk walk = plan_strips(box, layout_around(box), 64, tile_height, R, most_blocks);
      CAPTURE(begin.x, width, height, tile_height, most_blocks, walk.columns, walk.rows, walk.strips);
      CHECK(walk.planes() == 50);
      if (walk.strips == 0) {
        CHECK(walk.columns > most_blocks);
        continue;
      }
      CHECK(walk.blocks() <= most_blocks);
      check_rows(walk);
      check_columns(walk);
      check_neighbours(walk);
    }
  }
}

TEST_CASE("A box takes as few strips as there may be, and these as few blocks", "[unit]") {
  const Grid grid = make_grid({1000, 1000, 1000}, {1, 1, 1}, 27);
  const StripWalk all = plan_strips({{27, 27, 27}, {973, 973, 973}}, grid.layout, 64, 32, R, 132);
  CHECK((all.columns == 15 && all.rows == 8 && all.strips == 4));
  CHECK(all.strip_begin(1) == 27 + 8 * 32 - 2 * R);
  const StripWalk flat = plan_strips({{27, 27, 27}, {973, 327, 973}}, grid.layout, 64, 32, R, 132);
  CHECK((flat.columns == 15 && flat.rows == 5 && flat.strips == 2));  // 8 rows would fit, and be no faster
}

TEST_CASE("A row of tiles that is wider than the GPU gives no strips", "[unit]") {
  const Box3 box{{27, 27, 27}, {27 + 64 * 132 + 1, 100, 100}};
  CHECK(plan_strips(box, layout_around(box), 64, 32, R, 132).strips == 0);
  CHECK(plan_strips(box, layout_around(box), 64, 32, R, 133).strips == 3);
}

TEST_CASE("Strips that are too shallow to stay apart are known", "[unit]") {
  const auto keeps_apart = [](Extent3 n) {
    const Grid grid = make_grid(n, {20, 20, 20}, 0);
    return plan_strips({{0, 0, 0}, {n.x, n.y, n.z}}, grid.layout, 64, 32, 4, 132).keeps_strips_apart();
  };
  CHECK(keeps_apart({946, 946, 946}));
  CHECK(keeps_apart({2886, 106, 64}));
  CHECK_FALSE(keeps_apart({2886, 106, 63}));
  CHECK(keeps_apart({2886, 60, 5}));  // one strip
}
