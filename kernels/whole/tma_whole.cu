#include <type_traits>
#include <utility>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/device/launch_facts.cuh"
#include "kernels/whole/sided_block.cuh"
#include "kernels/whole/tma_whole_chunks.hpp"
#include "kernels/whole/tma_whole_kernel.cuh"
#include "kernels/whole/whole_plan.hpp"
#include "kernels/whole/whole_planners.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

/// A shape on fields in chunks; void where it has only rows.
template <class Shape>
struct OnChunks {
  using Type = void;
};
template <int Radius>
struct OnChunks<TmaWholeOf<Radius>> {
  using Type = TmaWholeChunksOf<Radius>;
};
template <int Radius>
struct OnChunks<TmaWholeStepSquare<Radius>> {
  using Type = TmaWholeStepChunksOf<Radius>;
};
template <class Shape>
inline constexpr bool takes_chunks = !std::is_void_v<typename OnChunks<Shape>::Type>;

template <class Shape>
using BlockOf = std::conditional_t<lies_in_chunks<Shape>, SidedBlock, HopperBlock>;

/// Error 71 where they are refused.
template <class Shape>
RoundWalk rounds_over(const DomainArgsOf<Shape::R>& args, const ChunkLayout& chunks) {
  const RoundWalk walk = plan_whole<Shape>(args, multiprocessors());
  const std::string why = why_refused(args, walk, chunks);
  if (!why.empty())
    throw Error(ErrorKind::resource, text(Shape::family, " is given ", why),
                text("take ", option("schedule"), " sequence"));
  return walk;
}

/// A launch of the kernel, wherever it comes from.
template <class Shape>
class WholeLaunch : public PlannedLaunch {
 public:
  WholeLaunch(const DomainArgsOf<Shape::R>& args, const ChunkLayout& chunks)
      : constants_(args),
        walk_(rounds_over<Shape>(args, chunks)),
        counts_of_rim_(Shape::steps == 2 ? minimod::counts_of_rim(args, walk_) : 0) {
    constexpr int sector = 8;
    if (walk_.first.x != args.box.begin.x || args.layout.index(args.box.begin.x, 0, 0) % sector != 0) {
      throw Error(ErrorKind::internal,
                  text(Shape::family, " is given a domain that does not begin on a sector"),
                  "please report it");
    }
  }

  [[nodiscard]] bool serves_shot() const override { return Shape::steps == 1; }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return WholeWorkspace::of<Shape, Block>(walk_).bytes();
  }
  [[nodiscard]] int counts_of_rim() const override { return counts_of_rim_; }
  void run(const LaunchArgs& args, Stream stream) override {
    launch(whole_args<Shape, Block>({args, constants_}, walk_, args, maps_), stream);
  }

 protected:
  using Block = BlockOf<Shape>;
  using Args = WholeArgs<Shape, Block>;
  static constexpr std::size_t bytes = sizeof(typename WholePass<Shape, Block>::Memory);
  static_assert(bytes <= 227 * 1024 - 128, "what a block has, but for the number of one with sides");
  [[nodiscard]] Extent3 blocks() const {
    return {lies_in_chunks<Shape> ? multiprocessors() : walk_.blocks(), 1, 1};
  }
  virtual void launch(const Args& args, Stream stream) = 0;

 private:
  typename DomainArgsOf<Shape::R>::Constants constants_;
  RoundWalk walk_;
  int counts_of_rim_;
  WholeMaps<Shape, Block> maps_;
};

template <class Shape>
class BuiltInWhole final : public WholeLaunch<Shape> {
  using Base = WholeLaunch<Shape>;

 public:
  BuiltInWhole(const DomainArgs& args, const ChunkLayout& chunks)
      : Base(args, chunks),
        facts_(prepare({reinterpret_cast<const void*>(kernel), this->blocks(),
                        static_cast<int>(Shape::threads.x), Base::bytes},
                       Shape::family)) {
    check_room(facts_, facts_.blocks.x, Shape::family);
  }
  [[nodiscard]] LaunchFacts facts() const override { return facts_; }

 private:
  static constexpr auto kernel = tma_whole<Shape, BlockOf<Shape>>;
  void launch(const typename Base::Args& args, Stream stream) override {
    void* arguments[] = {const_cast<typename Base::Args*>(&args)};
    check_launch(cudaLaunchCooperativeKernel(kernel, to_dim3(facts_.blocks), dim3(Shape::threads.x),
                                             arguments, Base::bytes, stream.as<cudaStream_t>()));
  }
  LaunchFacts facts_;
};

template <class Shape>
class CompiledWhole final : public WholeLaunch<Shape> {
  using Base = WholeLaunch<Shape>;

 public:
  CompiledWhole(const DomainArgsOf<Shape::R>& args, const ChunkLayout& chunks)
      : Base(args, chunks),
        kernel_(compile_kernel(source_of_whole<Shape>(sizeof(typename Base::Args)), this->blocks(),
                               Shape::threads, Base::bytes)) {
    check_room(facts(), facts().blocks.x, Shape::family);
  }
  [[nodiscard]] LaunchFacts facts() const override { return kernel_->facts(); }

 private:
  void launch(const typename Base::Args& args, Stream stream) override {
    kernel_->run_together(&args, facts().blocks, stream);
  }
  std::unique_ptr<CompiledKernel> kernel_;
};

/// A launch of a shape, or of the one for fields in chunks.
template <template <class> class Launch, class Shape>
std::unique_ptr<PlannedLaunch> plan(const LaunchArgs& args) {
  const DomainArgsOf<Shape::R> domain(args);
  if constexpr (takes_chunks<Shape>) {
    if (args.chunks.columns > 0)
      return std::make_unique<Launch<typename OnChunks<Shape>::Type>>(domain, args.chunks);
  }
  return std::make_unique<Launch<Shape>>(domain, ChunkLayout());
}

/// The planner of a shape with another radius.
template <class Shape>
LaunchPlanner compiled_planner(int radius) {
  return [=](const LaunchArgs& args) {
    return with_radius(radius, [&]<int R>() -> std::unique_ptr<PlannedLaunch> {
      if constexpr (R != Shape::R && R <= Shape::greatest_radius) {
        return plan<CompiledWhole, typename Shape::template WithRadius<R>>(args);
      } else {
        throw Error(ErrorKind::internal, text(Shape::family, " is asked for with a radius of ", R),
                    "please report it");
      }
    });
  };
}

/// A shape's planners: that one, of this kind.
template <class Shape>
LaunchPlanners planners_of(LaunchPlanner LaunchPlanners::*kind, LaunchPlanner planner) {
  LaunchPlanners planners;
  planners.*kind = std::move(planner);
  planners.takes_chunks = takes_chunks<Shape>;
  return planners;
}
template <class... Shapes>
std::array<LaunchPlanners, sizeof...(Shapes)> built_in(TypeList<Shapes...>,
                                                       LaunchPlanner LaunchPlanners::*kind) {
  return {planners_of<Shapes>(kind, plan<BuiltInWhole, Shapes>)...};
}
template <class... Shapes>
std::array<LaunchPlanners, sizeof...(Shapes)> compiled(TypeList<Shapes...>,
                                                       LaunchPlanner LaunchPlanners::*kind, int radius) {
  return {planners_of<Shapes>(kind, compiled_planner<Shapes>(radius))...};
}

}  // namespace

std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners() {
  return built_in(TmaWholeList{}, &LaunchPlanners::whole);
}
std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners(int radius) {
  return compiled(TmaWholeList{}, &LaunchPlanners::whole, radius);
}

std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners() {
  return built_in(TmaWholeStepList{}, &LaunchPlanners::whole_step);
}
std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners(int radius) {
  return compiled(TmaWholeStepList{}, &LaunchPlanners::whole_step, radius);
}

}  // namespace minimod
