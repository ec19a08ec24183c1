/// The rounds of a launch of two fused steps: what each step writes, and that the second never needs what no
/// block of its round has written.
#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/whole/round_planner.hpp"
#include "validation/unit/base/box_from.hpp"

using namespace minimod;

namespace {

constexpr int margin = stencil_radius;

Box3 common_part(const Box3& a, const Box3& b) {
  return {{std::max(a.begin.x, b.begin.x), std::max(a.begin.y, b.begin.y), std::max(a.begin.z, b.begin.z)},
          {std::min(a.end.x, b.end.x), std::min(a.end.y, b.end.y), std::min(a.end.z, b.end.z)}};
}

bool is_within(const Box3& a, const Box3& b) {
  return common_part(a, b) == a;
}

Box3 with_star(const Box3& box) {
  return {{box.begin.x - margin, box.begin.y - margin, box.begin.z - margin},
          {box.end.x + margin, box.end.y + margin, box.end.z + margin}};
}

/// The first block of each chunk of each round, with its round.
struct Chunk {
  const Round* round;
  int block;
};
std::vector<Chunk> chunks_of(const RoundWalk& walk) {
  std::vector<Chunk> chunks;
  for (int i = 0; i < walk.count; ++i) {
    const Round& round = walk.rounds[i];
    for (int c = 0; c < round.chunks; ++c) chunks.push_back({&round, c * round.columns * round.rows});
  }
  return chunks;
}

/// The second step is done once on every point of the box, the first wherever the second needs it, and both
/// within the tiles and planes that are marched over.
void check_points(const RoundWalk& walk) {
  std::int64_t own_points = 0;
  int wrong = 0;
  std::vector<Box3> all;
  for (const auto& [round, block] : chunks_of(walk)) {
    const Box3 first = walk.done_by(*round, block, 0), own = walk.done_by(*round, block, 1);
    const Index3 begin = walk.tile_begin(*round, block);
    const Box3 tiles =
        box_from(begin, {round->columns * walk.tile_width, round->rows * walk.tile_height, round->planes});
    wrong += own.empty() || !is_within(first, tiles) ? 1 : 0;
    wrong += is_within(common_part(with_star(own), walk.box), first) ? 0 : 1;
    wrong += (own.begin.x - walk.first.x) % vector_alignment != 0 ? 1 : 0;
    wrong += own.end.x != walk.box.end.x && (own.end.x - walk.first.x) % vector_alignment != 0 ? 1 : 0;
    for (const Box3& other : all) wrong += common_part(own, other).empty() ? 0 : 1;
    all.push_back(own);
    own_points += own.points();
  }
  CHECK(wrong == 0);
  CHECK(own_points == Box3{{walk.first.x, walk.box.begin.y, walk.box.begin.z}, walk.box.end}.points());
}

/// Whether a tile has points that the first step is done on for the tiles of the round alone.
void check_blocks(const RoundWalk& walk, int most_blocks, int planes_a_turn) {
  int planes = 0, wrong = 0;
  for (int i = 0; i < walk.count; ++i) {
    const Round& round = walk.rounds[i];
    wrong += round.blocks() < 1 || round.blocks() > most_blocks ? 1 : 0;
    wrong += i > 0 && round.blocks() > walk.rounds[i - 1].blocks() ? 1 : 0;
    wrong += round.planes % planes_a_turn != 0 || round.planes_before != planes ? 1 : 0;
    planes += round.planes;
    for (int block = 0; block < round.blocks(); ++block) {
      wrong += walk.rounds_of(block) <= i ? 1 : 0;
      wrong += walk.done_by(round, block, 0).contains(walk.tile_begin(round, block)) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(walk.planes_of(walk.count) == planes);
}

/// A neighbour is the block next to it in the round, and has this one for its neighbour; a block at the edge
/// is its own.
void check_neighbours(const RoundWalk& walk, const Round& round) {
  int wrong = 0;
  for (int block = 0; block < round.blocks(); ++block) {
    const Index3 tile = walk.tile_begin(round, block);
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const int x = block % round.columns + dx, y = block / round.columns % round.rows + dy;
      const bool is_there = x >= 0 && x < round.columns && y >= 0 && y < round.rows;
      const int neighbour = RoundWalk::neighbour(round, block, dx, dy);
      if (neighbour < 0 || neighbour >= round.blocks()) FAIL("no such block");
      const Index3 next = walk.tile_begin(round, neighbour);
      const int steps = is_there ? 1 : 0;
      wrong += next.x - tile.x != steps * dx * walk.tile_width ? 1 : 0;
      wrong += next.y - tile.y != steps * dy * walk.tile_height ? 1 : 0;
      wrong += next.z != tile.z ? 1 : 0;
      wrong += RoundWalk::neighbour(round, neighbour, -dx, -dy) != block && is_there ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

Layout layout_around(const Box3& box) {
  return make_grid({box.end.x + 5, box.end.y + 5, box.end.z + 5}, {1, 1, 1}, 27).layout;
}

RoundTuning with_chunks(int most_blocks) {
  RoundTuning tuning;
  tuning.most_blocks = most_blocks;
  tuning.planes_a_turn = 4;
  tuning.chunk_lost = 1;
  tuning.line = 32;
  tuning.allows_chunks = [](const RoundWalk&, const Round&) { return true; };
  return tuning;
}

RoundWalk rounds_of(Extent3 n) {
  const Grid grid = make_grid(n, {1, 1, 1}, 0);
  return plan_rounds({{0, 0, 0}, {n.x, n.y, n.z}}, grid.layout, {64, 32, 0}, with_chunks(132));
}

}  // namespace

TEST_CASE("Rounds share a box out so that the second step finds the first around it", "[unit]") {
  const Index3 begin = GENERATE(Index3{27, 27, 27}, Index3{0, 0, 0}, Index3{30, 1, 2});
  const int most_blocks = GENERATE(2, 3, 14, 78, 132);
  const int tile_height = GENERATE(16, 32), line = GENERATE(1, 32);
  const int overlap_x = line == 1 ? 8 : 32;
  for (const int width : {1, 61, 64, 65, 130, 700, 946, 4000}) {
    for (const int height : {1, 7, 8, 9, 31, 33, 56, 57, 64, 65, 300, 385, 400, 946, 2000}) {
      const Box3 box = box_from(begin, {width, height, height % 2 == 0 ? 150 : 41});
      CAPTURE(begin.x, width, height, tile_height, most_blocks, line);
      RoundTuning tuning = with_chunks(most_blocks);
      tuning.line = line;
      const RoundWalk walk = plan_rounds(box, layout_around(box), {64, tile_height, 0}, tuning);
      if (walk.count == 0) {
        CHECK(std::int64_t{width} * height >
              RoundWalk::most_rounds * most_blocks * (64 - overlap_x) * (tile_height - 8) / 2);
        continue;
      }
      for (int i = 0; i < walk.count; ++i) CHECK((walk.rounds[i].x - walk.first.x) % overlap_x == 0);
      check_points(walk);
      check_blocks(walk, most_blocks, 4);
      check_neighbours(walk, walk.rounds[0]);
      check_neighbours(walk, walk.rounds[walk.count - 1]);
    }
  }
}

TEST_CASE("Rounds keep the multiprocessors at work, and go over the planes as seldom as may be", "[unit]") {
  struct Expected {
    Extent3 n;
    int most_planes;  ///< planes of all rounds
  };
  // Walks of 132 blocks of 64 x 32 points.
  for (const auto& [n, most_planes] : {Expected{{1000, 1000, 1000}, 4000},
                                       {{512, 512, 512}, 512},
                                       {{768, 768, 768}, 1830},
                                       {{896, 896, 896}, 2960},
                                       {{256, 256, 256}, 72},
                                       {{999, 1001, 1003}, 4200},
                                       {{2000, 2000, 250}, 4300},
                                       {{4000, 300, 800}, 4100}}) {
    const RoundWalk walk = rounds_of(n);
    CAPTURE(n.x, n.y, n.z, walk.count, walk.rounds[0].columns, walk.rounds[0].rows, walk.rounds[0].chunks);
    CHECK(walk.planes_of(walk.count) <= most_planes);
  }
}

TEST_CASE("Rounds of one step overlap nowhere", "[unit]") {
  for (const Extent3 n : {Extent3{896, 896, 896}, {1000, 1000, 1000}, {61, 45, 38}, {999, 301, 403}}) {
    RoundTuning tuning = with_chunks(132);
    tuning.radius = 0;
    tuning.planes_a_turn = 1;
    const Grid grid = make_grid(n, {1, 1, 1}, 0);
    const RoundWalk walk = plan_rounds({{0, 0, 0}, {n.x, n.y, n.z}}, grid.layout, {128, 32, 0}, tuning);
    CAPTURE(n.x, walk.count, walk.rounds[0].columns, walk.rounds[0].rows, walk.rounds[0].chunks);
    check_blocks(walk, 132, 1);
    std::int64_t points = 0;
    std::vector<Box3> all;
    for (const auto& [round, block] : chunks_of(walk)) {
      const Box3 own = walk.done_by(*round, block, 0);
      CHECK(own == walk.done_by(*round, block, 1));
      for (const Box3& other : all) CHECK(common_part(own, other).empty());
      all.push_back(own);
      points += own.points();
    }
    CHECK(points == n.points());
  }
}

TEST_CASE("Slabs of a domain have the tiles of the whole", "[unit]") {
  for (const Extent3 n : {Extent3{1000, 1000, 1000}, {999, 1001, 400}, {200, 200, 200}, {4000, 300, 800}}) {
    const auto tiles_of = [&](int planes) {
      std::vector<std::array<int, 4>> tiles;
      const RoundWalk walk = rounds_of({n.x, n.y, planes});
      for (int i = 0; i < walk.count; ++i) {
        const Round& round = walk.rounds[i];
        tiles.push_back({round.x, round.y, round.columns, round.rows});
      }
      std::sort(tiles.begin(), tiles.end());
      return tiles;
    };
    const auto whole = tiles_of(n.z);
    for (const int planes : {n.z / 2, 100, 37, 9}) CHECK(tiles_of(planes) == whole);
  }
}
