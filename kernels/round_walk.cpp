#include "kernels/round_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minimod {

namespace {

/// Tiles that are marched at once, along x or y.
struct Strip {
  int begin = 0, tiles = 0;
};

/// Strips of `most` tiles that share out [begin, end), of which each has some points in common with the next;
/// the last has the tiles that it needs.
std::vector<Strip> strips_over(int begin, int end, int tile, int most, int overlap) {
  std::vector<Strip> strips;
  for (;;) {
    const int tiles = std::min(most, ceil_div(end - begin, tile));
    strips.push_back({begin, tiles});
    begin += tiles * tile;
    if (begin >= end) return strips;
    begin -= overlap;
  }
}

class RoundPlanner {
 public:
  RoundPlanner(const Box3& box, const Layout& at, Extent3 tile, const RoundTuning& tuning)
      : tile_(tile), tuning_(tuning) {
    empty_.box = box;
    empty_.first = first_of_vectors(box, at);
    empty_.tile_width = tile.x;
    empty_.tile_height = tile.y;
    empty_.radius = tuning.radius;
  }

  [[nodiscard]] int columns() const { return ceil_div(empty_.box.end.x - empty_.first.x, tile_.x); }
  [[nodiscard]] int rows() const { return ceil_div(empty_.box.end.y - empty_.box.begin.y, tile_.y); }

  /// Rounds in which columns of tiles are marched `most_columns` at a time.
  [[nodiscard]] std::vector<Round> rounds_of(int most_columns) const {
    std::vector<Round> rounds, column;
    for (const Strip& x :
         strips_over(empty_.first.x, empty_.box.end.x, tile_.x, most_columns, 2 * tuning_.radius)) {
      if (column.empty() || column[0].columns != x.tiles) column = rounds_of(x);
      for (Round& round : column) {
        round.x = x.begin;
        rounds.push_back(round);
      }
    }
    return rounds;
  }

  /// Time of rounds over a box of usual depth, in planes.
  [[nodiscard]] double nominal_cost(const std::vector<Round>& rounds) const {
    constexpr int usual_planes = 512, most_chunks = 8;
    double cost = 0;
    for (const Round& round : rounds) {
      const int chunks = std::min(tuning_.most_blocks / round.blocks(), most_chunks);
      const bool is_narrow = round.columns < columns();
      cost += (ceil_div(usual_planes, chunks) + lost(chunks)) * (is_narrow ? tuning_.narrow : 1);
    }
    return cost;
  }

  /// Cuts the planes of a round into the chunks that promise to be fastest.
  void cut_planes(Round& round) const {
    const int depth = empty_.box.end.z - empty_.box.begin.z;
    double least = std::numeric_limits<double>::max();
    Round best = round;
    const int most = round.blocks() == 0 ? 0 : tuning_.most_blocks / round.blocks();
    for (int chunks = 1; chunks <= most; ++chunks) {
      Round tried = round;
      tried.chunks = static_cast<short>(chunks);
      share_out(depth, tried);
      const int last = depth - (chunks - 1) * tried.own_planes + tried.first_fewer;
      if (chunks > 1 && last < 1) continue;
      if (chunks > 1 && tried.own_planes < 2 * tuning_.radius) break;
      const int halo = chunks == 1 ? 0 : chunks == 2 ? tuning_.radius : 2 * tuning_.radius;
      tried.planes = ceil_div(tried.own_planes + halo, tuning_.planes_a_turn) * tuning_.planes_a_turn;
      if (chunks > 1 && !tuning_.allows_chunks(empty_, tried)) continue;
      const double cost = time_of(tried.own_planes, chunks) + lost(chunks);
      if (cost >= least) continue;
      least = cost;
      best = tried;
    }
    round = best;
  }

  [[nodiscard]] RoundWalk walk_of(std::vector<Round> rounds) const {
    RoundWalk walk = empty_;
    if (rounds.size() > RoundWalk::most_rounds) return walk;
    for (Round& round : rounds) cut_planes(round);
    std::stable_sort(rounds.begin(), rounds.end(),
                     [](const Round& a, const Round& b) { return a.blocks() > b.blocks(); });
    for (Round& round : rounds) {
      round.planes_before = walk.planes_of(walk.count);
      walk.rounds[walk.count++] = round;
    }
    return walk;
  }

 private:
  [[nodiscard]] static Round round_of(const Strip& x, const Strip& y) {
    Round round;
    round.x = x.begin;
    round.y = y.begin;
    round.columns = static_cast<short>(x.tiles);
    round.rows = static_cast<short>(y.tiles);
    return round;
  }

  /// Over a strip of columns.
  [[nodiscard]] std::vector<Round> rounds_of(const Strip& x) const {
    const Box3& box = empty_.box;
    std::vector<Round> best;
    for (int most = std::min(tuning_.most_blocks / x.tiles, rows()); most > 0; --most) {
      std::vector<Round> tried;
      for (const Strip& y : strips_over(box.begin.y, box.end.y, tile_.y, most, 2 * tuning_.radius))
        tried.push_back(round_of(x, y));
      if (best.empty() || nominal_cost(tried) < nominal_cost(best)) best = tried;
    }
    return best;
  }
  /// Gives the chunks planes that take the same time: fewer where they are in a z slab.
  void share_out(int depth, Round& round) const {
    const int chunks = round.chunks;
    if (chunks == 1) {
      round.own_planes = depth;
      return;
    }
    for (round.own_planes = ceil_div(depth, chunks);; ++round.own_planes) {
      const int first = planes_in(round.own_planes, tuning_.slow_first);
      const int last = planes_in(round.own_planes, tuning_.slow_last);
      round.first_fewer = static_cast<short>(round.own_planes - first);
      if (first + (chunks - 2) * round.own_planes + last >= depth) return;
    }
  }
  /// Planes of a chunk at an end of the box, at which so many are slow, in the time of `planes` others.
  [[nodiscard]] int planes_in(int planes, int slow) const {
    const double all_slow = planes / tuning_.slow;
    return static_cast<int>(std::lround(all_slow < slow ? all_slow : planes - slow * (tuning_.slow - 1)));
  }
  /// Of the chunks of a round, in planes that are not slow.
  [[nodiscard]] double time_of(int planes, int chunks) const {
    return planes + (chunks > 1 ? 0 : (tuning_.slow_first + tuning_.slow_last) * (tuning_.slow - 1));
  }
  [[nodiscard]] double lost(int chunks) const {
    return tuning_.chunk_lost + (chunks == 1 ? 0 : 2 * tuning_.radius);
  }

  RoundWalk empty_;
  Extent3 tile_;
  const RoundTuning& tuning_;
};

}  // namespace

RoundWalk plan_rounds(const Box3& box, const Layout& at, Extent3 tile, const RoundTuning& tuning) {
  const RoundPlanner planner(box, at, tile, tuning);
  std::vector<Round> best;
  for (int columns = std::min(tuning.most_blocks, planner.columns()); columns > 0; --columns) {
    const std::vector<Round> tried = planner.rounds_of(columns);
    if (best.empty() || planner.nominal_cost(tried) < planner.nominal_cost(best)) best = tried;
  }
  return planner.walk_of(best);
}

}  // namespace minimod
