#include "kernels/tiles/tile_walk.hpp"

#include <algorithm>
#include <limits>

namespace minimod {

namespace {
constexpr int least_planes = 16;  // planes of a piece, at least
constexpr int most_rounds = 32;   // more cuts gain nothing, and planning them takes time

/// Time of a walk in planes of one block at full speed.
double cost_of(const TileWalk& walk, const WalkTuning& tuning) {
  double cost = 0;
  for (int round = 0; round < walk.rounds(); ++round) {
    const int busy = std::max(walk.blocks_in_round(round), std::min(tuning.saturating, walk.blocks));
    cost += busy * (walk.tile.z + tuning.planes_lost);
  }
  // Fewer blocks than saturate the memory take as long for a plane as one alone does.
  return cost * std::max(1.0, static_cast<double>(tuning.saturating) / walk.blocks);
}
}  // namespace

TileWalk plan_walk(const Box3& box, const Layout& at, Extent3 tile, const WalkTuning& tuning) {
  TileWalk walk;
  walk.box = box;
  walk.first = first_of_vectors(box, at);
  if (box.empty()) return walk;
  const Extent3 n{box.end.x - walk.first.x, box.end.y - box.begin.y, box.end.z - box.begin.z};
  TileWalk best;
  double least = std::numeric_limits<double>::max();
  for (int cuts = 1; cuts == 1 || n.z / cuts >= least_planes; ++cuts) {
    walk.tile = {tile.x, tile.y, ceil_div(n.z, cuts)};
    walk.tiles = blocks_covering(n, walk.tile);
    if (cuts > 1 && walk.count() > most_rounds * tuning.multiprocessors) break;
    // All blocks, or whole rows of tiles: neighbours along x then are in the same round.
    const int most = std::min(tuning.multiprocessors, walk.count());
    for (const int blocks : {most / walk.tiles.x * walk.tiles.x, most}) {
      if (blocks == 0) continue;
      walk.blocks = blocks;
      const double cost = cost_of(walk, tuning);
      if (cost < least) {
        least = cost;
        best = walk;
      }
    }
  }
  return best;
}

}  // namespace minimod
