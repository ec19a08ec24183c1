#include "kernels/hopper_block.cuh"
#include "kernels/launch_facts.cuh"
#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/tma_two_steps.hpp"
#include "kernels/two_steps_pipeline.hpp"
#include "kernels/vector_queue.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

constexpr int R = stencil_radius;

template <class Shape>
using Barriers = TwoStepsBarriers<Shape, HopperBlock>;
using Args = TwoStepsArgs<HopperBlock>;

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
__device__ void compute(const Args& given, typename Shape::Shared& shared, Barriers<Shape>& barriers) {
  constexpr int pitch = Shape::threads_x + 2, rows = Shape::rows;
  using Inner = InnerUpdate<float>;
  const StencilArgs<float>& args = given.args;
  const RoundWalk& walk = given.walk;
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
  const int rounds = walk.rounds_of(blockIdx.x);
  for (int number = 0; number < rounds; ++number) {
    const Round& strip = walk.rounds[number];
    const Box3 done = walk.done_by(strip, blockIdx.x, step);
    Index3 p = walk.tile_begin(strip, blockIdx.x);
    p.x += 4 * tx;
    p.y += rows * ty;
    const int points = walk.box.end.x - p.x;  // of a row, from its first on
    unsigned stored = 0;                      // bit r: row r
    for (int r = 0; r < rows; ++r) {
      const int y = p.y + r;
      if (points > 0 && y >= done.begin.y && y < done.end.y) stored |= 1U << r;
    }
    const Index3 source = args.source.begin;
    const bool has_source = step == 0 && args.source_sample != nullptr && source.x >= p.x &&
                            source.x < p.x + 4 && source.y >= p.y && source.y < p.y + rows;
    const int source_k = has_source ? source.z - p.z + 2 * R : -1;
    float* to = target + args.layout.index(p.x, p.y, p.z);
    march<R>(0, strip.planes + 2 * R, [&](int k, int phase) {
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
          args.u_next[args.layout.index(source.x, source.y, source.z)] += *args.source_sample;
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
__global__ void __launch_bounds__(Shape::threads.x, 1) tma_two_steps(const __grid_constant__ Args args) {
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
    if (warp == 0 && leads_warp) bring_fields<Shape>(args, shared, barriers);
    if (warp == 1) bring_first_step<Shape>(args, shared, barriers);
    if (warp >= 2 && leads_warp) announce<Shape>(args, barriers, warp - 2);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    compute<Shape>(args, shared, barriers);
  }
}

/// The strips over a box. Error 71 where it is too wide or too thin for them.
template <class Shape>
[[nodiscard]] RoundWalk strips_over(const Box3& box, const Layout& at) {
  RoundTuning tuning;
  tuning.most_blocks = multiprocessors();
  const RoundWalk walk = plan_strips(box, at, Shape::tile, tuning);
  if (walk.count == 0) {
    throw Error(ExitCode::resource,
                text(Shape::family, " takes at most ", multiprocessors() * Shape::width,
                     " points along x on this GPU, and ", RoundWalk::most_rounds, " strips along y; ",
                     box.extent().x, " x ", box.extent().y, " are given"),
                "take --schedule sequence");
  }
  if (!walk.keeps_strips_apart()) {
    throw Error(ExitCode::resource,
                text(Shape::family, " is given ", box.extent().z, " planes, too few for ", walk.count,
                     " strips of ", walk.rounds[0].rows, " rows of tiles"),
                "take --schedule sequence");
  }
  return walk;
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
    check_room(facts_, walk_.blocks(), Shape::family);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return two_steps_workspace<HopperBlock>(walk_);
  }
  void run(const StencilArgs<float>& args, void* stream) override {
    Args both = maps_.args_of(args, walk_);
    void* arguments[] = {&both};
    check_launch(cudaLaunchCooperativeKernel(kernel, dim3(walk_.blocks()), dim3(Shape::threads.x), arguments,
                                             bytes, static_cast<cudaStream_t>(stream)));
  }

 private:
  static constexpr auto kernel = tma_two_steps<Shape>;
  static constexpr std::size_t bytes = sizeof(typename Shape::Shared);
  RoundWalk walk_;
  LaunchFacts facts_;
  TwoStepsMaps<Shape, HopperBlock> maps_;
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
