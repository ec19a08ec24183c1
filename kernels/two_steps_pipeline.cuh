/// What the launches of two fused steps have in common beside their arithmetic: who brings the fields into
/// shared memory, and how the second step of a block learns that the first of its neighbours is in memory.
#pragma once

#include "kernels/announcer.hpp"
#include "kernels/launch_facts.cuh"
#include "kernels/strip_walk.hpp"
#include "kernels/throttle.cuh"
#include "kernels/tma.cuh"
#include "src/base/error.hpp"

namespace minimod {

inline constexpr int progress_line = 32;  ///< words between two blocks' progress: 128 B

/// All that the copies and announcements of a launch go by.
struct TwoStepsArgs {
  StencilArgs<float> args;
  StripWalk walk;
  int planes;               ///< that a strip is marched over: those of the box, and perhaps some beyond
  TileMap u, u_first;       ///< from the halo on; u_first is u⁺
  TileMap u_before, v2dt2;  ///< of the tile
  TileMap ahead;            ///< of u without its halo along x and y, for what comes next
  unsigned* progress;       ///< of each block: planes of u⁺ that are in memory, over all strips
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

/// The blocks of a strip as a round of the throttle.
inline TileWalk rounds_of(const StripWalk& strips) {
  TileWalk walk;
  walk.tiles = {strips.columns, strips.rows, strips.strips};
  walk.blocks = strips.blocks();
  return walk;
}

/// One thread: brings u, u⁻ and (V Δt)² for the first step. Plane k of a strip is its plane k - R of u.
template <class Shape>
__device__ void bring_fields(const TwoStepsArgs& args, typename Shape::Shared& shared,
                             Barriers<Shape>& barriers, const TileWalk& rounds) {
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_before> before;
  RingCursor<Shape::stages_v> v;
  constexpr int R = stencil_radius;
  const int planes = args.planes + 2 * R;
  Throttle throttle(args.counters, rounds, planes);
  for (int strip = 0; strip < args.walk.strips; ++strip) {
    const Index3 begin = args.walk.tile_begin(blockIdx.x, strip);
    const int x = begin.x - args.walk.first.x, y = begin.y - args.walk.first.y;
    for (int k = 0; k < planes; ++k) {
      if (k + 1 < planes) args.ahead.prefetch({x, y, k + 1});
      throttle.pass(strip, k);
      barriers.empty_u[0][u.stage].wait(u.parity ^ 1);
      barriers.full_u[0][u.stage].arrive_expecting(sizeof shared.u[0][0].value);
      args.u.load(&shared.u[0][u.stage], {x, y, k}, barriers.full_u[0][u.stage]);
      u.advance();
      if (k < 2 * R) continue;
      barriers.empty_before[before.stage].wait(before.parity ^ 1);
      barriers.full_before[before.stage].arrive_expecting(sizeof shared.before[0].value);
      args.u_before.load(&shared.before[before.stage], {x, y, k - 2 * R}, barriers.full_before[before.stage]);
      before.advance();
      barriers.empty_v[v.stage].wait(v.parity ^ 1);
      barriers.full_v[v.stage].arrive_expecting(sizeof shared.v2dt2[0].value);
      args.v2dt2.load(&shared.v2dt2[v.stage], {x, y, k - 2 * R}, barriers.full_v[v.stage]);
      v.advance();
    }
  }
}

/// Waits until a block's progress reaches a number. When all its waits have come to some seconds, far more
/// than a launch takes, it gives up and says so.
class ProgressWatch {
 public:
  __device__ ProgressWatch(const unsigned* progress, unsigned* status)
      : progress_(progress), status_(status) {}

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
  const unsigned* progress_;
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
  const int watched = lane == 1   ? args.walk.neighbour(block, -1, 0)
                      : lane == 2 ? args.walk.neighbour(block, 1, 0)
                      : lane == 3 ? args.walk.neighbour(block, 0, -1)
                      : lane == 4 ? args.walk.neighbour(block, 0, 1)
                                  : block;
  ProgressWatch watch(args.progress + watched * progress_line, args.args.status);
  RingCursor<Shape::stages_u> u;
  constexpr int R = stencil_radius;
  const int planes = args.planes;
  for (int strip = 0; strip < args.walk.strips; ++strip) {
    const Index3 begin = args.walk.tile_begin(block, strip);
    const int x = begin.x - args.walk.first.x, y = begin.y - args.walk.first.y;
    for (int k = 0; k < planes + 2 * R; ++k) {
      const int plane = k - R;
      if (plane < planes) {
        const bool looked = lane < 5 && watch.wait_for(strip * planes + max(plane, 0) + 1);
        if (__any_sync(~0U, looked)) asm volatile("fence.proxy.async;" ::: "memory");  // for the copy engine
      }
      __syncwarp();
      if (lane == 0) {
        barriers.empty_u[1][u.stage].wait(u.parity ^ 1);
        barriers.full_u[1][u.stage].arrive_expecting(sizeof shared.u[1][0].value);
        args.u_first.load(&shared.u[1][u.stage], {x, y, k}, barriers.full_u[1][u.stage]);
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
  announce_planes<Shape::stages_centre>(
      barriers.full_centre, barriers.empty_centre, first, args.walk.strips * args.planes, [=](int plane) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(progress), "r"(plane + 1) : "memory");
      });
}

inline std::size_t progress_bytes(const StripWalk& walk) {
  return std::size_t(walk.blocks()) * progress_line * sizeof(unsigned);
}

/// Of the workspace of a launch: the progress of the blocks, then the counters of the throttle.
inline std::size_t two_steps_workspace(const StripWalk& walk, int planes) {
  return progress_bytes(walk) + Throttle::bytes(rounds_of(walk), planes + 2 * stencil_radius);
}

/// The strips over a box. Error 71 where it is too wide or too thin for them.
template <class Shape>
[[nodiscard]] StripWalk strips_over(const Box3& box, const Layout& at) {
  constexpr int R = stencil_radius;
  const StripWalk walk = plan_strips(box, at, Shape::width, Shape::height, R, multiprocessors());
  if (walk.strips > 0 && !walk.keeps_strips_apart()) {
    throw Error(ExitCode::resource,
                text(Shape::family, " is given ", walk.planes(), " planes, too few for ", walk.strips,
                     " strips of ", walk.rows, " rows of tiles"),
                "take --schedule sequence");
  }
  if (walk.strips > 0) return walk;
  throw Error(ExitCode::resource,
              text(Shape::family, " takes at most ", multiprocessors() * Shape::width,
                   " points along x on this GPU, ", box.extent().x, " are given"),
              "take --schedule sequence");
}

/// Error 71 unless the blocks of a strip, which wait for each other, can be on the GPU at once.
template <class Shape>
void check_room(const StripWalk& walk, const LaunchFacts& facts) {
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
  TwoStepsArgs args_of(const StencilArgs<float>& args, const StripWalk& walk, int planes) {
    auto* progress = static_cast<unsigned*>(args.workspace);
    return {args,
            walk,
            planes,
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
  const TileMap& tile_of(const float* field, const StencilArgs<float>& args, const StripWalk& walk) {
    return tiles_.of(field, [&] {
      return TileMap::of_box(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                             Fetch::lines);
    });
  }
  const TileMap& halo_of(const float* field, const StencilArgs<float>& args, const StripWalk& walk) {
    return halos_.of(field, [&] {
      return TileMap::with_halo(field, args.layout, args.box, walk.first, Shape::width, Shape::height,
                                Fetch::lines);
    });
  }

  TileMaps tiles_, halos_, ahead_;
};

}  // namespace minimod
