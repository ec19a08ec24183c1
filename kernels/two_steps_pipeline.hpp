/// What the launches of two fused steps have in common beside their arithmetic: who brings the fields into
/// shared memory, and how the second step of a block learns that the first of its neighbours is in memory.
/// `Block` is HopperBlock (hopper_block.cuh) or, on the host, PlayedBlock (played_block.hpp).
#pragma once

#include "kernels/announcer.hpp"
#include "kernels/ring_cursor.hpp"
#include "kernels/round_walk.hpp"
#include "kernels/throttle.hpp"
#include "kernels/tile_maps.hpp"
#include "kernels/update.hpp"

namespace minimod {

inline constexpr int progress_line = 32;  ///< words between two blocks' progress: 128 B

/// All that the copies and announcements of a launch go by.
template <class Block>
struct TwoStepsArgs {
  StencilArgs<float> args;
  RoundWalk walk;
  typename Block::Map u, u_first;       ///< from the halo on; u_first is u⁺
  typename Block::Map u_before, v2dt2;  ///< of the tile
  typename Block::Map ahead;            ///< of u without its halo along x and y, for what comes next
  unsigned* progress;                   ///< of each block: planes of u⁺ that are in memory, over all rounds
  unsigned* counters;                   ///< of the throttle
};

template <class Shape, class Block>
struct TwoStepsBarriers {
  using Barrier = typename Block::Barrier;
  Barrier full_u[2][Shape::stages_u], empty_u[2][Shape::stages_u];
  Barrier full_before[Shape::stages_before], empty_before[Shape::stages_before];
  Barrier full_v[Shape::stages_v], empty_v[Shape::stages_v];
  Barrier full_centre[Shape::stages_centre], empty_centre[Shape::stages_centre];

  /// A warp arrives once for what it has read of the copy engine's, each thread for the centre that it wrote
  /// or read itself (so that compute-sanitizer can follow; it costs nothing that can be measured).
  MINIMOD_HD void init() {
    constexpr int warps = Shape::group / 32;
    for (int step = 0; step < 2; ++step) init(full_u[step], 1, empty_u[step], warps);
    init(full_before, 1, empty_before, warps);
    init(full_v, 1, empty_v, warps);
    init(full_centre, Shape::group, empty_centre, Shape::emptying_centre);
    Barrier::publish();
  }

 private:
  template <int Stages>
  MINIMOD_HD void init(Barrier (&full)[Stages], int filling, Barrier (&empty)[Stages], int emptying) {
    for (Barrier& barrier : full) barrier.init(filling);
    for (Barrier& barrier : empty) barrier.init(emptying);
  }
};

/// One thread: brings u, u⁻ and (V Δt)² for the first step. Plane k of a round is its plane k - R of u.
template <class Shape, class Block>
MINIMOD_HD void bring_fields(const TwoStepsArgs<Block>& args, typename Shape::Shared& shared,
                             TwoStepsBarriers<Shape, Block>& barriers) {
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_before> before;
  RingCursor<Shape::stages_v> v;
  constexpr int R = stencil_radius;
  const RoundWalk& walk = args.walk;
  Throttle<Block> throttle(args.counters);
  const int rounds = walk.rounds_of(Block::index());
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    const int planes = round.planes + 2 * R, blocks = round.blocks();
    const Index3 begin = walk.tile_begin(round, Block::index());
    const int x = begin.x - walk.first.x, y = begin.y - walk.first.y, z = begin.z - walk.first.z;
    for (int k = 0; k < planes; ++k) {
      if (k + 1 < planes) args.ahead.prefetch({x, y, z + k + 1});
      throttle.pass(round.planes_before + number * 2 * R, k, blocks);
      barriers.empty_u[0][u.stage].wait(u.parity ^ 1);
      barriers.full_u[0][u.stage].arrive_expecting(sizeof shared.u[0][0].value);
      args.u.load(&shared.u[0][u.stage], {x, y, z + k}, barriers.full_u[0][u.stage]);
      u.advance();
      if (k < 2 * R) continue;
      barriers.empty_before[before.stage].wait(before.parity ^ 1);
      barriers.full_before[before.stage].arrive_expecting(sizeof shared.before[0].value);
      args.u_before.load(&shared.before[before.stage], {x, y, z + k - 2 * R},
                         barriers.full_before[before.stage]);
      before.advance();
      barriers.empty_v[v.stage].wait(v.parity ^ 1);
      barriers.full_v[v.stage].arrive_expecting(sizeof shared.v2dt2[0].value);
      args.v2dt2.load(&shared.v2dt2[v.stage], {x, y, z + k - 2 * R}, barriers.full_v[v.stage]);
      v.advance();
    }
  }
}

/// Waits until a block's progress reaches a number. When all its waits have come to some seconds, far more
/// than a launch takes, it gives up and says so.
template <class Block>
class ProgressWatch {
 public:
  explicit MINIMOD_HD ProgressWatch(unsigned* status) : status_(status) {}

  /// From now on that of another block.
  MINIMOD_HD void turn_to(const unsigned* progress) {
    progress_ = progress;
    seen_ = 0;
  }
  /// Whether it had to look again.
  MINIMOD_HD bool wait_for(unsigned needed) {
    const bool looks = seen_ < needed;
    while (seen_ < needed && patience_ > 0) {
      seen_ = Block::announced(progress_);
      if (seen_ < needed && --patience_ == 0) *status_ = 1;
    }
    return looks;
  }

 private:
  const unsigned* progress_ = nullptr;
  unsigned* status_;
  unsigned seen_ = 0;
  int patience_ = 1 << 23;
};

/// One warp: brings u⁺ with its halo for the second step as soon as this block and its four neighbours have
/// stored it; each of five lanes watches one of them. Planes above and below the box are there already; those
/// above wait with the first of the box, so that who has seen a plane may read what the first step has left
/// of the next. Above a free surface come the planes below it instead, to be taken with the other sign.
template <class Shape, class Block>
MINIMOD_HD void bring_first_step(const TwoStepsArgs<Block>& args, typename Shape::Shared& shared,
                                 TwoStepsBarriers<Shape, Block>& barriers) {
  const int lane = Block::thread() % 32, block = Block::index();
  ProgressWatch<Block> watch(args.args.status);
  RingCursor<Shape::stages_u> u;
  constexpr int R = stencil_radius;
  const RoundWalk& walk = args.walk;
  const int rounds = walk.rounds_of(block);
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    const int watched = lane == 1   ? walk.neighbour(round, block, -1, 0)
                        : lane == 2 ? walk.neighbour(round, block, 1, 0)
                        : lane == 3 ? walk.neighbour(round, block, 0, -1)
                        : lane == 4 ? walk.neighbour(round, block, 0, 1)
                                    : block;
    const bool mirrors = args.args.has_surface && walk.chunk_of(round, block) == 0;
    watch.turn_to(args.progress + watched * progress_line);
    const int planes = round.planes;
    const Index3 begin = walk.tile_begin(round, block);
    const int x = begin.x - walk.first.x, y = begin.y - walk.first.y, z = begin.z - walk.first.z;
    for (int k = 0; k < planes + 2 * R; ++k) {
      const int plane = mirrors && k < R ? R - k : k - R;
      if (plane < planes) {
        const bool looked = lane < 5 && watch.wait_for(round.planes_before + (plane > 0 ? plane : 0) + 1);
        if (Block::any_of_warp(looked)) Block::show_to_copies();
      }
      Block::sync_warp();
      if (lane == 0) {
        barriers.empty_u[1][u.stage].wait(u.parity ^ 1);
        barriers.full_u[1][u.stage].arrive_expecting(sizeof shared.u[1][0].value);
        args.u_first.load(&shared.u[1][u.stage], {x, y, z + plane + R}, barriers.full_u[1][u.stage]);
      }
      Block::sync_warp();
      u.advance();
    }
  }
}

/// One thread of two, for the even or the odd planes: announces a plane of u⁺ when all threads of the first
/// step have stored it. (A plane's centre is full at the same moment.)
template <class Shape, class Block>
MINIMOD_HD void announce(const TwoStepsArgs<Block>& args, TwoStepsBarriers<Shape, Block>& barriers,
                         int first) {
  unsigned* const progress = args.progress + Block::index() * progress_line;
  const int planes = args.walk.planes_of(args.walk.rounds_of(Block::index()));
  announce_planes<Shape::stages_centre>(barriers.full_centre, barriers.empty_centre, first, planes,
                                        [=](int plane) { Block::announce(progress, plane + 1); });
}

inline std::size_t progress_bytes(const RoundWalk& walk) {
  return std::size_t(walk.blocks()) * progress_line * sizeof(unsigned);
}

/// Of the workspace of a launch: the progress of the blocks, then the counters of the throttle.
template <class Block>
std::size_t two_steps_workspace(const RoundWalk& walk) {
  return progress_bytes(walk) +
         Throttle<Block>::bytes(walk.planes_of(walk.count) + walk.count * 2 * stencil_radius);
}

/// The maps of a shape's tiles over the fields of a launch.
template <class Shape, class Block>
class TwoStepsMaps {
 public:
  TwoStepsArgs<Block> args_of(const StencilArgs<float>& args, const RoundWalk& walk) {
    auto* progress = static_cast<unsigned*>(args.workspace);
    return {args,
            walk,
            halo_of(args.u, args, walk),
            halo_of(args.u_next, args, walk),
            tile_of(args.u_before, args, walk),
            tile_of(args.v2dt2, args, walk),
            ahead_.of(args.u,
                      [&] {
                        return map_with_planes_around<Map>(args.u, args.layout, args.box, walk.first,
                                                           Shape::width, Shape::height, Fetch::lines);
                      }),
            progress,
            progress + progress_bytes(walk) / sizeof(unsigned)};
  }

 private:
  using Map = typename Block::Map;
  const Map& tile_of(const float* field, const StencilArgs<float>& args, const RoundWalk& walk) {
    return tiles_.of(field, [&] {
      return map_of_box<Map>(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                             Fetch::lines);
    });
  }
  const Map& halo_of(const float* field, const StencilArgs<float>& args, const RoundWalk& walk) {
    return halos_.of(field, [&] {
      return map_with_halo<Map>(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                                Fetch::lines);
    });
  }

  TileMaps<Map> tiles_, halos_, ahead_;
};

}  // namespace minimod
