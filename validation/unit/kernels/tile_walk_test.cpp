/// The walk of a persistent launch: whatever the box and the GPU, its tiles are a partition of the box, and
/// its rounds one of the tiles.
#include "kernels/tiles/tile_walk.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "validation/unit/base/box_from.hpp"

using namespace minimod;

namespace {

constexpr Extent3 wide_tile{128, 32, 0}, square_tile{64, 64, 0}, pml_tile{128, 16, 0};

Box3 cut(const Box3& a, const Box3& b) {
  return {{std::max(a.begin.x, b.begin.x), std::max(a.begin.y, b.begin.y), std::max(a.begin.z, b.begin.z)},
          {std::min(a.end.x, b.end.x), std::min(a.end.y, b.end.y), std::min(a.end.z, b.end.z)}};
}

/// A place on the regular grid of the tiles, and no larger than a cell of it: tiles in different places share
/// no point.
bool fits_its_place(const TileWalk& walk, const Box3& tile) {
  const Extent3 n = tile.extent();
  return n.x == walk.tile.x && n.y == walk.tile.y && n.z >= 1 && n.z <= walk.tile.z &&
         (tile.begin.x - walk.first.x) % walk.tile.x == 0 &&
         (tile.begin.y - walk.first.y) % walk.tile.y == 0 && (tile.begin.z - walk.first.z) % walk.tile.z == 0;
}

/// Different places, and as many points of the box as the box has: every point lies in exactly one tile.
void check_partition(const TileWalk& walk) {
  std::vector<std::tuple<int, int, int>> begins;
  std::int64_t points = 0;
  int misplaced = 0, beyond_z = 0;
  for (int number = 0; number < walk.count(); ++number) {
    const Box3 tile = walk.points(number);
    misplaced += fits_its_place(walk, tile) ? 0 : 1;
    beyond_z += tile.begin.z >= walk.box.begin.z && tile.end.z <= walk.box.end.z ? 0 : 1;
    begins.emplace_back(tile.begin.z, tile.begin.y, tile.begin.x);
    points += cut(tile, walk.box).points();
  }
  CHECK(misplaced == 0);
  CHECK(beyond_z == 0);  // the kernels store all planes of a tile
  CHECK(points == walk.box.points());
  CHECK(std::is_sorted(begins.begin(), begins.end()));  // x fastest, z slowest
  CHECK(std::adjacent_find(begins.begin(), begins.end()) == begins.end());
}

void check_rounds(const TileWalk& walk, const WalkTuning& tuning) {
  CHECK(walk.blocks >= 1);
  CHECK(walk.blocks <= tuning.multiprocessors);
  std::int64_t tiles = 0;
  int wrong = 0;
  for (int round = 0; round < walk.rounds(); ++round) {
    const int busy = walk.blocks_in_round(round);
    const bool is_last = round + 1 == walk.rounds();
    wrong += busy < 1 || busy > walk.blocks || (busy < walk.blocks && !is_last);
    tiles += busy;
  }
  CHECK(wrong == 0);
  CHECK(tiles == walk.count());
}

void check_first(const TileWalk& walk, const Layout& at) {
  const Index3 first = walk.first, begin = walk.box.begin;
  CHECK(at.index(first.x, first.y, first.z) % vector_alignment == 0);
  CHECK((begin.x - first.x >= 0 && begin.x - first.x <= 3));
  CHECK((first.y == begin.y && first.z == begin.z));
}

void check_walk(const Box3& box, Extent3 tile, const WalkTuning& tuning) {
  const Layout at = make_grid({box.end.x + 5, box.end.y + 5, box.end.z + 5}, {1, 1, 1}, 27).layout;
  const TileWalk walk = plan_walk(box, at, tile, tuning);
  CAPTURE(box.begin.x, box.begin.y, box.begin.z, box.end.x, box.end.y, box.end.z, tile.x, tile.y);
  CAPTURE(tuning.multiprocessors, tuning.saturating, tuning.planes_lost, walk.blocks, walk.tile.z);
  CHECK((walk.box == box && walk.tile.x == tile.x && walk.tile.y == tile.y));
  check_first(walk, at);
  check_partition(walk);
  check_rounds(walk, tuning);
}

}  // namespace

TEST_CASE("Every point of a box lies in one tile of its walk, and every tile in one round", "[unit]") {
  const Extent3 n = GENERATE(
      Extent3{1, 1, 1}, Extent3{2, 3, 1}, Extent3{125, 32, 16}, Extent3{126, 33, 17}, Extent3{129, 31, 47},
      Extent3{131, 5, 400}, Extent3{1, 400, 300}, Extent3{400, 1, 300}, Extent3{400, 300, 1},
      Extent3{7, 946, 946}, Extent3{946, 27, 946}, Extent3{1000, 1000, 27}, Extent3{946, 946, 946},
      Extent3{2000, 2000, 250}, Extent3{4000, 300, 800}, Extent3{300, 200, 9001}, Extent3{2200, 2300, 2250});
  const Index3 begin =
      GENERATE(Index3{27, 27, 27}, Index3{0, 0, 0}, Index3{29, 1, 2}, Index3{30, 3, 0}, Index3{32, 7, 11});
  const auto tuning =
      GENERATE(WalkTuning{132, 88, 4}, WalkTuning{132, 132, 4}, WalkTuning{7, 5, 0}, WalkTuning{1, 1, 4});
  for (const Extent3 tile : {wide_tile, square_tile, pml_tile}) check_walk(box_from(begin, n), tile, tuning);
}

TEST_CASE("A walk begins on a vector whatever the width of the box and the point that it begins at",
          "[unit]") {
  for (int begin = 0; begin < 9; ++begin) {
    for (int width = 1; width < 10; ++width) {
      check_walk({{begin, 3, 5}, {begin + width, 40, 70}}, wide_tile, {132, 88, 4});
      check_walk({{begin, 3, 5}, {begin + 120 + width, 40, 70}}, wide_tile, {132, 88, 4});
    }
  }
}

TEST_CASE("The walk over the inner box of 1000 cubed points takes whole rows of tiles and all of z",
          "[unit]") {
  const Grid grid = make_grid({1000, 1000, 1000}, {1, 1, 1}, 27);
  const Box3 box{{27, 27, 27}, {973, 973, 973}};
  const TileWalk walk = plan_walk(box, grid.layout, wide_tile, {132, 88, 4});
  CHECK(walk.first == box.begin);
  CHECK(walk.tiles == Extent3{8, 30, 1});
  CHECK(walk.tile.z == 946);
  CHECK(walk.blocks == 128);
  CHECK(walk.rounds() == 2);
  CHECK(walk.blocks_in_round(1) == 112);
}

TEST_CASE("A box of few columns is cut along z until there is work for the multiprocessors", "[unit]") {
  const Grid grid = make_grid({182, 182, 1000}, {1, 1, 1}, 27);
  const Box3 box{{27, 27, 27}, {155, 155, 973}};
  const TileWalk walk = plan_walk(box, grid.layout, wide_tile, {132, 88, 4});
  CHECK((walk.tiles.x == 1 && walk.tiles.y == 4));
  CHECK(walk.tiles.z > 20);
  CHECK(walk.blocks >= 80);
  CHECK(walk.rounds() == 1);
}

TEST_CASE("A walk over nothing has no tiles", "[unit]") {
  const Layout at = make_grid({60, 50, 40}, {1, 1, 1}, 5).layout;
  const Box3 box = GENERATE(Box3{{0, 0, 0}, {60, 50, 0}}, Box3{{0, 0, 40}, {60, 0, 40}},
                            Box3{{5, 5, 5}, {5, 45, 35}}, Box3{{5, 5, 5}, {4, 45, 35}});
  const TileWalk walk = plan_walk(box, at, wide_tile, {132, 88, 4});
  CHECK(walk.count() == 0);
  CHECK(walk.blocks == 0);
}
