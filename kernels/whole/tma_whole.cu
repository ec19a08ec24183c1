#include "kernels/device/hopper_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "kernels/whole/sided_block.cuh"
#include "kernels/whole/tma_whole_pass.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

template <class Shape>
using BlockOf = std::conditional_t<lies_in_chunks<Shape>, SidedBlock, HopperBlock>;

template <class Shape>
__global__ void __launch_bounds__(Shape::threads.x, 1)
    tma_whole(const __grid_constant__ WholeArgs<Shape, BlockOf<Shape>> given) {
  using Pass = WholePass<Shape, BlockOf<Shape>>;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& [shared, barriers, profiles] = *reinterpret_cast<typename Pass::Memory*>(memory);
  if (threadIdx.x == 0) {
    barriers.init();
    if constexpr (lies_in_chunks<Shape>)
      SidedBlock::number() = take_number(given.pass.walk, given.pass.at, given.pass.sides);
  }
  Pass::take_profile_z(given, profiles);
  __syncthreads();
  if constexpr (lies_in_chunks<Shape>) {
    if (SidedBlock::number() < 0) return;  // a spare one
  }
  if (threadIdx.x < Pass::computing) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    Pass::compute(given, shared, barriers, profiles);
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    Pass::serve(given, shared, barriers);
  }
}

/// Error 71 where they are refused.
template <class Shape>
RoundWalk rounds_over(const DomainArgs& args, const ChunkLayout& chunks) {
  const RoundWalk walk = plan_whole<Shape>(args, multiprocessors());
  const std::string why = why_refused(args, walk, chunks);
  if (!why.empty())
    throw Error(ErrorKind::resource, text(Shape::family, " is given ", why),
                text("take ", option("schedule"), " sequence"));
  return walk;
}

template <class Shape>
class WholeLaunch final : public PlannedLaunch {
 public:
  WholeLaunch(const DomainArgs& args, const ChunkLayout& chunks)
      : constants_(args),
        walk_(rounds_over<Shape>(args, chunks)),
        facts_(prepare({reinterpret_cast<const void*>(kernel),
                        {lies_in_chunks<Shape> ? multiprocessors() : walk_.blocks(), 1, 1},
                        static_cast<int>(Shape::threads.x),
                        bytes},
                       Shape::family)),
        counts_of_rim_(Shape::steps == 2 ? minimod::counts_of_rim(args, walk_) : 0) {
    constexpr int sector = 8;
    if (walk_.first.x != args.box.begin.x || args.layout.index(args.box.begin.x, 0, 0) % sector != 0) {
      throw Error(ErrorKind::internal,
                  text(Shape::family, " is given a domain that does not begin on a sector"),
                  "please report it");
    }
    check_room(facts_, facts_.blocks.x, Shape::family);
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  [[nodiscard]] bool serves_shot() const override { return Shape::steps == 1; }
  [[nodiscard]] std::size_t workspace_bytes() const override { return Pass::workspace_bytes(walk_); }
  [[nodiscard]] int counts_of_rim() const override { return counts_of_rim_; }
  void run(const LaunchArgs& args, Stream stream) override {
    auto given = whole_args<Shape, BlockOf<Shape>>({args, constants_}, walk_, args, maps_);
    void* arguments[] = {&given};
    check_launch(cudaLaunchCooperativeKernel(kernel, to_dim3(facts_.blocks), dim3(Shape::threads.x),
                                             arguments, bytes, stream.as<cudaStream_t>()));
  }

 private:
  using Pass = WholePass<Shape, BlockOf<Shape>>;
  static constexpr auto kernel = tma_whole<Shape>;
  static constexpr std::size_t bytes = sizeof(typename Pass::Memory);
  static_assert(bytes <= 227 * 1024 - 128, "what a block has, but for the number of one with sides");
  DomainArgs::Constants constants_;
  RoundWalk walk_;
  LaunchFacts facts_;
  int counts_of_rim_;
  WholeMaps<Shape, BlockOf<Shape>> maps_;
};

template <class Shape>
std::unique_ptr<PlannedLaunch> plan(const LaunchArgs& args) {
  if constexpr (Shape::steps == 2) {
    if (args.chunks.columns > 0)
      return std::make_unique<WholeLaunch<TmaWholeChunks>>(DomainArgs(args), args.chunks);
  }
  return std::make_unique<WholeLaunch<Shape>>(DomainArgs(args), ChunkLayout());
}

template <class... Shapes>
std::array<LaunchPlanners, sizeof...(Shapes)> planners_of(TypeList<Shapes...>,
                                                          LaunchPlanner LaunchPlanners::*kind) {
  std::array<LaunchPlanners, sizeof...(Shapes)> planners;
  std::size_t index = 0;
  ((planners[index++].*kind = plan<Shapes>), ...);
  return planners;
}

}  // namespace

std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners() {
  auto planners = planners_of(TmaWholeList{}, &LaunchPlanners::whole);
  for (LaunchPlanners& of_shape : planners) of_shape.takes_chunks = true;
  return planners;
}

std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners() {
  return planners_of(TmaWholeStepList{}, &LaunchPlanners::whole_step);
}

}  // namespace minimod
