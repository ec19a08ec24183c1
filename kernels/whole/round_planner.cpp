#include "kernels/whole/round_planner.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/vector4.hpp"

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
    empty_.lost_x = round_up(2 * tuning.radius, tuning.line) / 2;
    empty_.lost_y = round_up(2 * tuning.radius, tuning.rows) / 2;
  }

  [[nodiscard]] int columns() const { return ceil_div(empty_.box.end.x - empty_.first.x, tile_.x); }
  [[nodiscard]] int rows() const { return ceil_div(empty_.box.end.y - empty_.box.begin.y, tile_.y); }

  /// Rounds in which columns of tiles are marched `most_columns` at a time.
  [[nodiscard]] std::vector<Round> rounds_of(int most_columns) const {
    std::vector<Round> rounds, column;
    for (const Strip& x :
         strips_over(empty_.first.x, empty_.box.end.x, tile_.x, most_columns, 2 * empty_.lost_x)) {
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
      cost += ceil_div(usual_planes, chunks) + lost(chunks);
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
      tried.own_planes = ceil_div(depth, chunks);
      if (ceil_div(depth, tried.own_planes) != chunks) continue;
      if (chunks > 1 && tried.own_planes < 2 * tuning_.radius) break;
      tried.chunks = static_cast<short>(chunks);
      const int halo = chunks == 1 ? 0 : chunks == 2 ? tuning_.radius : 2 * tuning_.radius;
      tried.planes = round_up(tried.own_planes + halo, tuning_.planes_a_turn);
      if (chunks > 1 && !tuning_.allows_chunks(empty_, tried)) continue;
      const double cost = tried.own_planes + lost(chunks);
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
      for (const Strip& y : strips_over(box.begin.y, box.end.y, tile_.y, most, 2 * empty_.lost_y))
        tried.push_back(round_of(x, y));
      if (best.empty() || nominal_cost(tried) < nominal_cost(best)) best = tried;
    }
    return best;
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
    if (!tuning.cuts_x && !best.empty()) break;
    const std::vector<Round> tried = planner.rounds_of(columns);
    if (best.empty() || planner.nominal_cost(tried) < planner.nominal_cost(best)) best = tried;
  }
  return planner.walk_of(best);
}

}  // namespace minimod
