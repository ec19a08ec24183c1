#include "kernels/announcer.hpp"
#include "kernels/launch_facts.cuh"
#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/tma_two_steps.hpp"
#include "kernels/strip_walk.hpp"
#include "kernels/throttle.cuh"
#include "kernels/tma.cuh"
#include "kernels/vector_queue.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

constexpr int R = stencil_radius;
constexpr int line = 32;  // words between two blocks' counters: 128 B

/// All that the kernel gets.
struct TwoStepsArgs {
  StencilArgs<float> args;
  StripWalk walk;
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
TileWalk rounds_of(const StripWalk& strips) {
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
  const int planes = args.walk.planes() + 2 * R;
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
/// stored it; each of five lanes watches one of them. Planes outside the box are the PML's, and there
/// already.
template <class Shape>
__device__ void bring_first_step(const TwoStepsArgs& args, typename Shape::Shared& shared,
                                 Barriers<Shape>& barriers) {
  const int lane = threadIdx.x % 32, block = blockIdx.x;
  const int watched = lane == 1   ? args.walk.neighbour(block, -1, 0)
                      : lane == 2 ? args.walk.neighbour(block, 1, 0)
                      : lane == 3 ? args.walk.neighbour(block, 0, -1)
                      : lane == 4 ? args.walk.neighbour(block, 0, 1)
                                  : block;
  ProgressWatch watch(args.progress + watched * line, args.args.status);
  RingCursor<Shape::stages_u> u;
  const int planes = args.walk.planes();
  for (int strip = 0; strip < args.walk.strips; ++strip) {
    const Index3 begin = args.walk.tile_begin(block, strip);
    const int x = begin.x - args.walk.first.x, y = begin.y - args.walk.first.y;
    for (int k = 0; k < planes + 2 * R; ++k) {
      const int plane = k - R;
      if (plane >= 0 && plane < planes) {
        const bool looked = lane < 5 && watch.wait_for(strip * planes + plane + 1);
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
  unsigned* const progress = args.progress + blockIdx.x * line;
  announce_planes<Shape::stages_centre>(
      barriers.full_centre, barriers.empty_centre, first, args.walk.strips * args.walk.planes(),
      [=](int plane) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(progress), "r"(plane + 1) : "memory");
      });
}

/// The rings of a step.
template <class Shape>
struct StepRings {
  const typename Shape::Halo* u;
  const typename Shape::Tile* before;
  SharedBarrier *full_u, *empty_u, *full_before;
  int stages_before;

  __device__ StepRings(typename Shape::Shared& shared, Barriers<Shape>& b, int step)
      : u(shared.u[step]),
        before(step == 0 ? shared.before : shared.centre),
        full_u(b.full_u[step]),
        empty_u(b.empty_u[step]),
        full_before(step == 0 ? b.full_before : b.full_centre),
        stages_before(step == 0 ? Shape::stages_before : Shape::stages_centre) {}
};

/// The threads that compute. Both steps run the same code on other rings: two copies of the unrolled loop
/// would push each other out of the instruction cache.
template <class Shape>
__device__ void compute(const TwoStepsArgs& given, typename Shape::Shared& shared,
                        Barriers<Shape>& barriers) {
  constexpr int pitch = Shape::threads_x + 2, rows = Shape::rows;
  using Inner = InnerUpdate<float>;
  const StencilArgs<float>& args = given.args;
  const StripWalk& walk = given.walk;
  const int step = threadIdx.x / Shape::group, thread = threadIdx.x % Shape::group;
  const int tx = thread % Shape::threads_x, ty = thread / Shape::threads_x;
  const bool leads_warp = threadIdx.x % 32 == 0;
  const StepRings<Shape> rings(shared, barriers, step);
  float* const target = step == 0 ? args.u_next : args.u_second;
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_v> v;
  RingCursor<Shape::stages_centre> centre;
  int before = 0, before_parity = 0;
  VectorQueue<Inner, rows> queue;
  for (int strip = 0; strip < walk.strips; ++strip) {
    Index3 p = walk.tile_begin(blockIdx.x, strip);
    p.x += 4 * tx;
    p.y += rows * ty;
    const int points = walk.box.end.x - p.x;  // of a row, from its first on
    unsigned stored = 0;                      // bit r: row r
    for (int r = 0; r < rows; ++r) {
      const int y = p.y + r;
      if (points > 0 && y >= walk.rows_begin(strip, step) && y < walk.rows_end(strip, step))
        stored |= 1U << r;
    }
    const bool has_source = step == 0 && args.source_sample != nullptr && args.source.x >= p.x &&
                            args.source.x < p.x + 4 && args.source.y >= p.y && args.source.y < p.y + rows;
    const int source_k = has_source ? args.source.z - p.z + 2 * R : -1;
    float* to = target + args.layout.index(p.x, p.y, p.z);
    march<R>(0, walk.planes() + 2 * R, [&](int k, int phase) {
      const bool completes = k >= 2 * R;
      rings.full_u[u.stage].wait(u.parity);
      if (completes) {
        rings.full_before[before].wait(before_parity);
        barriers.full_v[v.stage].wait(v.parity);
        if (step == 0) barriers.empty_centre[centre.stage].wait(centre.parity ^ 1);
      }
      const auto finish = [&](int r, const auto& complete) {
        if (!completes) return;
        const Vector4<float> u_before = rings.before[before].value[rows * ty + r][tx];
        const Vector4<float> v2dt2 = shared.v2dt2[v.stage].value[rows * ty + r][tx];
        if (step == 0) shared.centre[centre.stage].value[rows * ty + r][tx] = complete.u;
        Vector4<float> next;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          next.value[i] = Inner::next({complete.u.value[i], complete.laplacian.value[i]}, v2dt2.value[i],
                                      u_before.value[i]);
        }
        float* const row = to + r * args.layout.stride_y;
        if ((stored >> r & 1U) != 0) store_first(row, next, points);
      };
      const auto finished = [&] {
        if (!completes) return;
        if (k == source_k) {
          args.u_next[args.layout.index(args.source.x, args.source.y, args.source.z)] += *args.source_sample;
        }
        (step == 0 ? barriers.full_centre : barriers.empty_centre)[centre.stage].arrive();
        __syncwarp();
        if (leads_warp) (step == 0 ? barriers.empty_before[before] : barriers.empty_v[v.stage]).arrive();
        to += args.layout.stride_z;
        v.advance();
        centre.advance();
        if (++before == rings.stages_before) {
          before = 0;
          before_parity ^= 1;
        }
      };
      queue.push(args.weights, {&rings.u[u.stage].value[rows * ty + R][tx + 1], pitch}, phase,
                 DampingOfPoints<Inner, 4, rows>(args, p), finish, finished);
      __syncwarp();
      if (leads_warp) rings.empty_u[u.stage].arrive();
      u.advance();
    });
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads.x, 1)
    tma_two_steps(const __grid_constant__ TwoStepsArgs args, const __grid_constant__ TileWalk rounds) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Shape::Shared*>(memory);
  __shared__ Barriers<Shape> barriers;
  if (threadIdx.x == 0) barriers.init();
  __syncthreads();
  constexpr int computing = 2 * Shape::group;
  if (threadIdx.x >= computing) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const int warp = (threadIdx.x - computing) / 32;
    const bool leads_warp = threadIdx.x % 32 == 0;
    if (warp == 0 && leads_warp) bring_fields<Shape>(args, shared, barriers, rounds);
    if (warp == 1) bring_first_step<Shape>(args, shared, barriers);
    if (warp >= 2 && leads_warp) announce<Shape>(args, barriers, warp - 2);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    compute<Shape>(args, shared, barriers);
  }
}

template <class Shape>
StripWalk strips_over(const Box3& box, const Layout& at) {
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

std::size_t progress_bytes(const StripWalk& walk) {
  return std::size_t(walk.blocks()) * line * sizeof(unsigned);
}

template <class Shape>
class TwoStepsLaunch final : public PlannedLaunch {
 public:
  /// Refuses what the blocks of a strip, which wait for each other, cannot be on the GPU for at once.
  explicit TwoStepsLaunch(const StencilArgs<float>& args)
      : walk_(strips_over<Shape>(args.box, args.layout)),
        facts_(prepare({reinterpret_cast<const void*>(kernel),
                        {walk_.blocks(), 1, 1},
                        static_cast<int>(Shape::threads.x),
                        bytes},
                       Shape::family)) {
    if (walk_.first.x != args.box.begin.x) {
      throw Error(ExitCode::internal, text(Shape::family, " is given a box that does not begin on a vector"),
                  "please report it");
    }
    const int room = facts_.active_blocks * multiprocessors();
    if (walk_.blocks() <= room) return;
    throw Error(
        ExitCode::resource,
        text(Shape::family, " needs ", walk_.blocks(), " blocks on the GPU at once, which holds ", room),
        "take --schedule sequence, or another kernel");
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return progress_bytes(walk_) + Throttle::bytes(rounds_of(walk_), walk_.planes() + 2 * R);
  }
  void run(const StencilArgs<float>& args, void* stream) override {
    auto* progress = static_cast<unsigned*>(args.workspace);
    TwoStepsArgs both{args,
                      walk_,
                      halo_of(args.u, args),
                      halo_of(args.u_next, args),
                      tile_of(args.u_before, args),
                      tile_of(args.v2dt2, args),
                      ahead_.of(args.u,
                                [&] {
                                  return TileMap::with_planes_around(args.u, args.layout, args.box,
                                                                     walk_.first, Shape::width, Shape::height,
                                                                     Fetch::lines);
                                }),
                      progress,
                      progress + progress_bytes(walk_) / sizeof(unsigned)};
    TileWalk rounds = rounds_of(walk_);
    void* arguments[] = {&both, &rounds};
    check_launch(cudaLaunchCooperativeKernel(kernel, dim3(walk_.blocks()), dim3(Shape::threads.x), arguments,
                                             bytes, static_cast<cudaStream_t>(stream)));
  }

 private:
  const TileMap& tile_of(const float* field, const StencilArgs<float>& args) {
    return tiles_.of(field, [&] {
      return TileMap::of_box(field, args.layout, args.box, walk_.first, Shape::width, Shape::height,
                             Fetch::lines);
    });
  }
  const TileMap& halo_of(const float* field, const StencilArgs<float>& args) {
    return halos_.of(field, [&] {
      return TileMap::with_halo(field, args.layout, args.box, walk_.first, Shape::width, Shape::height,
                                Fetch::lines);
    });
  }

  static constexpr auto kernel = tma_two_steps<Shape>;
  static constexpr std::size_t bytes = sizeof(typename Shape::Shared);
  StripWalk walk_;
  LaunchFacts facts_;
  TileMaps tiles_, halos_, ahead_;
};

template <class Shape>
Launches launches_of_one() {
  Launches launches;
  launches.two_steps = [](const StencilArgs<float>& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<TwoStepsLaunch<Shape>>(args);
  };
  return launches;
}

template <class... Shapes>
std::array<Launches, sizeof...(Shapes)> launches_of(TypeList<Shapes...>) {
  return {launches_of_one<Shapes>()...};
}

}  // namespace

std::array<Launches, TmaTwoStepsList::size> tma_two_steps_launches() {
  return launches_of(TmaTwoStepsList{});
}

}  // namespace minimod
