#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/device/tile_maps.hpp"
#include "kernels/rings/equation_ring.hpp"
#include "kernels/rings/equation_ring_kernel.cuh"
#include "kernels/rings/ring_walk.cuh"

namespace minimod {

namespace {

/// A launch of the kernel of an equation's formula.
template <class Of>
class EquationRing final : public PlannedLaunch {
  using Real = typename Of::Real;
  using Args = typename Of::Args;

 public:
  EquationRing(const LaunchArgs& given, Equation equation)
      : constants_(given), shape_(equation_ring_shape<Of>(given.box.extent().x)) {
    walk_ = ring_walk(given.box, given.layout, shape_.tile(), given.most_blocks, Of::damps, Of::radius);
    const ShapeSource source =
        equation_ring_source(equation, Of::radius, precision, formula, shape_, sizeof(KernelArgs));
    kernel_ = compile_kernel(source, blocks(), {shape_.threads(), 1, 1}, bytes_of_rings<Of>(shape_));
  }

  [[nodiscard]] LaunchFacts facts() const override { return kernel_->facts(); }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return Throttle<HopperBlock>::bytes(walk_.rounds() * (walk_.tile.z + more_planes));
  }
  void run(const LaunchArgs& given, Stream stream) override {
    const Args args(given, constants_);
    const KernelArgs all = with_maps(args, static_cast<unsigned*>(given.workspace), ArraysInRings<Of>{});
    kernel_->run(&all, blocks(), stream);
  }

 private:
  using KernelArgs = EquationRingArgs<Of>;
  static constexpr Formula formula = Of::damps ? Formula::pml : Formula::inner;
  static constexpr Precision precision =
      std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  static constexpr int more_planes = more_planes_of<Of>;

  [[nodiscard]] Extent3 blocks() const { return {walk_.blocks, 1, 1}; }
  template <int... Array>
  [[nodiscard]] KernelArgs with_maps(const Args& args, unsigned* counters, ArrayList<Array...>) {
    const auto map = [&]<int One>() {
      const auto* const field = Of::template data<One>(args);
      return maps_[ArraysInRings<Of>::index(One)].of(field, [&] {
        const Reach reach = Of::reach(One);
        const RingExtents in(reach, shape_.tile(), shape_.ahead, sizeof *field);
        return map_around<TileMap>(field, Of::template layout<One>(args), walk_.box, walk_.first, in.halo,
                                   reach.upper.x, shape_.width, shape_.height, Fetch::sectors);
      });
    };
    return {args, walk_, {map.template operator()<Array>()...}, counters};
  }

  typename Args::Constants constants_;
  EquationRingShape shape_;
  TileWalk walk_;
  std::unique_ptr<CompiledKernel> kernel_;
  MapsOfFields<TileMap> maps_[ArraysInRings<Of>::count];
};

}  // namespace

LaunchPlanners equation_ring_planners(Equation equation, int radius, Precision precision) {
  using Plan = std::unique_ptr<PlannedLaunch>;
  LaunchPlanners planners;
  const auto planner = [=]<class Line, template <class, int> class Update>() -> LaunchPlanner {
    return [=](const LaunchArgs& given) {
      return with_stencil(precision, radius, [&]<class Real, int R>() -> Plan {
        using Of = typename Line::template Of<Update<Real, R>>;
        return std::make_unique<EquationRing<Of>>(given, equation);
      });
    };
  };
  with_equation(equation, [&]<class Line>() {
    if constexpr (!Line::has_wave_star) {
      planners.inner = planner.template operator()<Line, InnerUpdate>();
      planners.pml = planner.template operator()<Line, PmlUpdate>();
    }
  });
  return planners;
}

}  // namespace minimod
