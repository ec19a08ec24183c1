#include "kernels/hopper_block.cuh"
#include "kernels/launch_facts.cuh"
#include "kernels/shapes/tma_whole_pass.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

using Shape = TmaWhole;
using Pass = WholePass<HopperBlock>;

__global__ void __launch_bounds__(Shape::threads.x, 1) tma_whole(const __grid_constant__ Pass::Args given) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shape::Shared*>(memory);
  __shared__ Pass::Barriers barriers;
  __shared__ Pass::Profiles profiles;
  if (threadIdx.x == 0) barriers.init();
  Pass::take_profile_z(given, profiles);
  __syncthreads();
  if (threadIdx.x < Pass::computing) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    Pass::compute(given, shared, barriers, profiles);
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    Pass::serve(given, shared, barriers);
  }
}

/// Error 71 where they are refused.
RoundWalk rounds_over(const StencilArgs<float>& args) {
  const RoundWalk walk = plan_whole(args, multiprocessors());
  const std::string why = why_refused(args, walk);
  if (!why.empty())
    throw Error(ExitCode::resource, text(Shape::family, " is given ", why), "take --schedule sequence");
  return walk;
}

class WholeLaunch final : public PlannedLaunch {
 public:
  explicit WholeLaunch(const StencilArgs<float>& args)
      : walk_(rounds_over(args)),
        facts_(prepare(
            {reinterpret_cast<const void*>(tma_whole), {walk_.blocks(), 1, 1}, Shape::threads.x, bytes},
            Shape::family)) {
    constexpr int sector = 8;
    if (walk_.first.x != args.box.begin.x || args.layout.index(args.box.begin.x, 0, 0) % sector != 0) {
      throw Error(ExitCode::internal,
                  text(Shape::family, " is given a domain that does not begin on a sector"),
                  "please report it");
    }
    check_room(facts_, walk_.blocks(), Shape::family);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return two_steps_workspace<HopperBlock>(walk_);
  }
  void run(const StencilArgs<float>& args, void* stream) override {
    Pass::Args given = whole_args(args, walk_, maps_);
    void* arguments[] = {&given};
    check_launch(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(tma_whole), dim3(walk_.blocks()),
                                             dim3(Shape::threads.x), arguments, bytes,
                                             static_cast<cudaStream_t>(stream)));
  }

 private:
  static constexpr std::size_t bytes = sizeof(Shape::Shared);
  RoundWalk walk_;
  LaunchFacts facts_;
  TwoStepsMaps<Shape, HopperBlock> maps_;
};

}  // namespace

std::array<Launches, TmaWholeList::size> tma_whole_launches() {
  std::array<Launches, TmaWholeList::size> launches;
  launches[0].whole = [](const StencilArgs<float>& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<WholeLaunch>(args);
  };
  return launches;
}

}  // namespace minimod
