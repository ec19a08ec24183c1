/// What the launches of two fused steps have in common beside their arithmetic: who brings the fields into
/// shared memory, and how the second step of a block learns that the first of its neighbours is in memory.
#pragma once

#include "kernels/announcer.hpp"
#include "kernels/launch_facts.cuh"
#include "kernels/round_walk.hpp"
#include "kernels/throttle.cuh"
#include "kernels/tma.cuh"
#include "src/base/error.hpp"

namespace minimod {

inline constexpr int progress_line = 32;  ///< words between two blocks' progress: 128 B

/// All that the copies and announcements of a launch go by.
struct TwoStepsArgs {
  StencilArgs<float> args;
  RoundWalk walk;
  TileMap u, u_first;       ///< from the halo on; u_first is u⁺
  TileMap u_before, v2dt2;  ///< of the tile
  TileMap ahead;            ///< of u without its halo along x and y, for what comes next
  unsigned* progress;       ///< of each block: planes of u⁺ that are in memory, over all rounds
  unsigned* counters;       ///< of the throttle
};

template <class Shape>
struct Barriers {
  SharedBarrier full_u[2][Shape::stages_u], empty_u[2][Shape::stages_u];
  SharedBarrier full_before[Shape::stages_before], empty_before[Shape::stages_before];
  SharedBarrier full_v[Shape::stages_v], empty_v[Shape::stages_v];
  SharedBarrier full_centre[Shape::stages_centre], empty_centre[Shape::stages_centre];

  /// A warp arrives once for what it has read of the copy engine's, each thread for the centre that it wrote
  /// or read itself (so that compute-sanitizer can follow; it costs nothing that can be measured).
  __device__ void init() {
    constexpr int warps = Shape::group / 32;
    for (int step = 0; step < 2; ++step) init(full_u[step], 1, empty_u[step], warps);
    init(full_before, 1, empty_before, warps);
    init(full_v, 1, empty_v, warps);
    init(full_centre, Shape::group, empty_centre, Shape::emptying_centre);
    publish_barriers();
  }

 private:
  template <int Stages>
  __device__ void init(SharedBarrier (&full)[Stages], int filling, SharedBarrier (&empty)[Stages],
                       int emptying) {
    for (SharedBarrier& barrier : full) barrier.init(filling);
    for (SharedBarrier& barrier : empty) barrier.init(emptying);
  }
};

/// One thread: brings u, u⁻ and (V Δt)² for the first step. Plane k of a round is its plane k - R of u.
template <class Shape>
__device__ void bring_fields(const TwoStepsArgs& args, typename Shape::Shared& shared,
                             Barriers<Shape>& barriers) {
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_before> before;
  RingCursor<Shape::stages_v> v;
  constexpr int R = stencil_radius;
  const RoundWalk& walk = args.walk;
  Throttle throttle(args.counters);
  const int rounds = walk.rounds_of(blockIdx.x);
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    const int planes = round.planes + 2 * R, blocks = round.blocks();
    const Index3 begin = walk.tile_begin(round, blockIdx.x);
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
class ProgressWatch {
 public:
  explicit __device__ ProgressWatch(unsigned* status) : status_(status) {}

  /// From now on that of another block.
  __device__ void turn_to(const unsigned* progress) {
    progress_ = progress;
    seen_ = 0;
  }
  /// Whether it had to look again.
  __device__ bool wait_for(unsigned needed) {
    const bool looks = seen_ < needed;
    while (seen_ < needed && patience_ > 0) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen_) : "l"(progress_) : "memory");
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
/// of the next.
template <class Shape>
__device__ void bring_first_step(const TwoStepsArgs& args, typename Shape::Shared& shared,
                                 Barriers<Shape>& barriers) {
  const int lane = threadIdx.x % 32, block = blockIdx.x;
  ProgressWatch watch(args.args.status);
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
    watch.turn_to(args.progress + watched * progress_line);
    const int planes = round.planes;
    const Index3 begin = walk.tile_begin(round, block);
    const int x = begin.x - walk.first.x, y = begin.y - walk.first.y, z = begin.z - walk.first.z;
    for (int k = 0; k < planes + 2 * R; ++k) {
      const int plane = k - R;
      if (plane < planes) {
        const bool looked = lane < 5 && watch.wait_for(round.planes_before + max(plane, 0) + 1);
        if (__any_sync(~0U, looked)) asm volatile("fence.proxy.async;" ::: "memory");  // for the copy engine
      }
      __syncwarp();
      if (lane == 0) {
        barriers.empty_u[1][u.stage].wait(u.parity ^ 1);
        barriers.full_u[1][u.stage].arrive_expecting(sizeof shared.u[1][0].value);
        args.u_first.load(&shared.u[1][u.stage], {x, y, z + k}, barriers.full_u[1][u.stage]);
      }
      __syncwarp();
      u.advance();
    }
  }
}

/// One thread of two, for the even or the odd planes: announces a plane of u⁺ when all threads of the first
/// step have stored it. (A plane's centre is full at the same moment.)
template <class Shape>
__device__ void announce(const TwoStepsArgs& args, Barriers<Shape>& barriers, int first) {
  unsigned* const progress = args.progress + blockIdx.x * progress_line;
  const int planes = args.walk.planes_of(args.walk.rounds_of(blockIdx.x));
  announce_planes<Shape::stages_centre>(
      barriers.full_centre, barriers.empty_centre, first, planes, [=](int plane) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(progress), "r"(plane + 1) : "memory");
      });
}

inline std::size_t progress_bytes(const RoundWalk& walk) {
  return std::size_t(walk.blocks()) * progress_line * sizeof(unsigned);
}

/// Of the workspace of a launch: the progress of the blocks, then the counters of the throttle.
inline std::size_t two_steps_workspace(const RoundWalk& walk) {
  return progress_bytes(walk) + Throttle::bytes(walk.planes_of(walk.count) + walk.count * 2 * stencil_radius);
}

/// Error 71 unless the blocks of a round, which wait for each other, can be on the GPU at once.
template <class Shape>
void check_room(const RoundWalk& walk, const LaunchFacts& facts) {
  const int room = facts.active_blocks * multiprocessors();
  if (walk.blocks() <= room) return;
  throw Error(ExitCode::resource,
              text(Shape::family, " needs ", walk.blocks(), " blocks on the GPU at once, which holds ", room),
              "take --schedule sequence, or another kernel");
}

/// The maps of a shape's tiles over the fields of a launch.
template <class Shape>
class TwoStepsMaps {
 public:
  TwoStepsArgs args_of(const StencilArgs<float>& args, const RoundWalk& walk) {
    auto* progress = static_cast<unsigned*>(args.workspace);
    return {args,
            walk,
            halo_of(args.u, args, walk),
            halo_of(args.u_next, args, walk),
            tile_of(args.u_before, args, walk),
            tile_of(args.v2dt2, args, walk),
            ahead_.of(args.u,
                      [&] {
                        return TileMap::with_planes_around(args.u, args.layout, args.box, walk.first,
                                                           Shape::width, Shape::height, Fetch::lines);
                      }),
            progress,
            progress + progress_bytes(walk) / sizeof(unsigned)};
  }

 private:
  const TileMap& tile_of(const float* field, const StencilArgs<float>& args, const RoundWalk& walk) {
    return tiles_.of(field, [&] {
      return TileMap::of_box(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                             Fetch::lines);
    });
  }
  const TileMap& halo_of(const float* field, const StencilArgs<float>& args, const RoundWalk& walk) {
    return halos_.of(field, [&] {
      return TileMap::with_halo(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                                Fetch::lines);
    });
  }

  TileMaps tiles_, halos_, ahead_;
};

}  // namespace minimod
