#include <type_traits>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/device/launch_facts.cuh"
#include "kernels/device/tile_maps.hpp"
#include "kernels/marching_axis.hpp"
#include "kernels/rings/ring_layers_kernel.cuh"
#include "kernels/rings/ring_walk.cuh"
#include "kernels/rings/tma_ring.hpp"
#include "kernels/rings/tma_ring_kernel.cuh"

namespace minimod {

namespace {

/// The array that stands for (V Δt)² in memory.
template <class Tile>
const typename Tile::Velocity* velocity_of(const WaveArgs<typename Tile::Real, Tile::R>& args) {
  if constexpr (std::is_same_v<typename Tile::Velocity, std::uint16_t>) {
    return args.v2dt2_codes;
  } else {
    return args.v2dt2;
  }
}

/// Arguments of the inner box, or of a slab of the PML.
template <class Update>
typename Update::Args as_marched(const LaunchArgs& given, const typename Update::Args::Constants& constants) {
  const typename Update::Args args(given, constants);
  if constexpr (Update::damps) return marching_along_the_slab(args);
  return args;
}

/// A launch of the kernel, wherever it comes from.
template <class Update, class Tile>
class RingLaunch : public PlannedLaunch {
 public:
  explicit RingLaunch(const LaunchArgs& given) : constants_(given) {
    const auto args = as_marched<Update>(given, constants_);
    walk_ = ring_walk(args.box, args.layout, {Tile::width, Tile::height, 0}, given.most_blocks, Update::damps,
                      Tile::R);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return Throttle<HopperBlock>::bytes(walk_.rounds() * planes_of_round<Tile::R>(walk_));
  }
  void run(const LaunchArgs& given, Stream stream) override { launch(ring_args(given), stream); }

 protected:
  using Args = RingArgs<typename Tile::Real, Tile::R>;
  static constexpr std::size_t bytes = sizeof(typename Tile::Shared);
  [[nodiscard]] const TileWalk& walk() const { return walk_; }
  [[nodiscard]] Extent3 blocks() const { return {walk_.blocks, 1, 1}; }
  [[nodiscard]] Args ring_args(const LaunchArgs& given) {
    const auto args = as_marched<Update>(given, constants_);
    const auto map = [&](const auto* field, const Layout& at, MapHalo halo) {
      return maps_.of(field, at, args.box, walk_.first, halo);
    };
    const TileMap before = map(args.u_before, args.layout, MapHalo::none);
    return {args,
            walk_,
            walk_.first,
            map(args.u, args.layout, MapHalo::around),
            map(args.u, args.layout, MapHalo::along_z),
            map(velocity_of<Tile>(args), args.layout, MapHalo::none),
            {before, Update::damps ? map(args.phi, args.phi_layout, MapHalo::none) : before},
            static_cast<unsigned*>(given.workspace)};
  }
  virtual void launch(const Args& args, Stream stream) = 0;

 private:
  static constexpr Fetch fetch = Update::damps ? Fetch::lines : Fetch::sectors;  // as measured, 2 to 5 %
  typename Update::Args::Constants constants_;
  TileWalk walk_;
  TileMaps<TileMap> maps_{Tile::width, Tile::height, fetch, Tile::R, Tile::V* Tile::beside};
};

template <class Update, class Tile>
class BuiltInRing : public RingLaunch<Update, Tile> {
  using Base = RingLaunch<Update, Tile>;

 public:
  BuiltInRing(const LaunchArgs& given, const char* shape)
      : Base(given),
        facts_(prepare({reinterpret_cast<const void*>(kernel), this->blocks(), Tile::threads, Base::bytes},
                       shape)) {}
  [[nodiscard]] LaunchFacts facts() const override { return facts_; }

 private:
  static constexpr auto kernel = tma_ring<Update, Tile>;
  void launch(const typename Base::Args& args, Stream stream) override {
    kernel<<<args.walk.blocks, Tile::threads, Base::bytes, stream.as<cudaStream_t>()>>>(args);
    check_launch();
  }
  LaunchFacts facts_;
};

/// The inner update with a CPML's layers across x, if it can take them. A launch that is given none is
/// without.
template <class Tile>
class LayeredRing final : public BuiltInRing<InnerUpdate<float>, Tile> {
  using Base = BuiltInRing<InnerUpdate<float>, Tile>;

 public:
  LayeredRing(const LaunchArgs& given, const char* shape)
      : Base(given, shape), first_x_(this->walk().first.x) {
    if (layers_.take(*given.across_x, given.box, this->walk(), first_x_))
      facts_ = prepare(
          {reinterpret_cast<const void*>(kernel), this->blocks(), threads_with_terms<Tile>, bytes()}, shape);
  }
  [[nodiscard]] bool corrects_across_x() const override { return layers_.layers() > 0; }
  [[nodiscard]] LaunchFacts facts() const override { return corrects_across_x() ? facts_ : Base::facts(); }
  void run(const LaunchArgs& given, Stream stream) override {
    if (!corrects_across_x() || given.across_x == nullptr) return Base::run(given, stream);
    LayeredRingArgs<Tile> args{this->ring_args(given), layers_};
    args.ring.walk.first.x = first_x_;
    args.layers.pass = *given.across_x;
    kernel<<<args.ring.walk.blocks, threads_with_terms<Tile>, bytes(), stream.as<cudaStream_t>()>>>(args);
    check_launch();
  }

 private:
  static constexpr auto kernel = tma_ring_with_layers<InnerUpdate<float>, Tile>;
  [[nodiscard]] std::size_t bytes() const { return sizeof(typename Tile::Shared) + layers_.bytes(); }

  RingLayers<Tile> layers_;
  int first_x_;
  LaunchFacts facts_;
};

template <class Update, class Tile>
class CompiledRing final : public RingLaunch<Update, Tile> {
  using Base = RingLaunch<Update, Tile>;

 public:
  explicit CompiledRing(const LaunchArgs& given)
      : Base(given),
        kernel_(compile_kernel(ring_source(Tile::R, precision, formula, sizeof(typename Base::Args)),
                               this->blocks(), {Tile::threads, 1, 1}, Base::bytes)) {}
  [[nodiscard]] LaunchFacts facts() const override { return kernel_->facts(); }

 private:
  static constexpr Precision precision =
      std::is_same_v<typename Tile::Real, float> ? Precision::float32 : Precision::float64;
  static constexpr Formula formula = Update::damps ? Formula::pml : Formula::inner;
  void launch(const typename Base::Args& args, Stream stream) override {
    kernel_->run(&args, this->blocks(), stream);
  }
  std::unique_ptr<CompiledKernel> kernel_;
};

template <class Tile>
inline constexpr bool takes_layers = std::is_same_v<typename Tile::Velocity, float>&& Tile::height == 32;

template <class Shape>
LaunchPlanners planners_of_one() {
  LaunchPlanners planners;
  planners.inner = [](const LaunchArgs& args) -> std::unique_ptr<PlannedLaunch> {
    if constexpr (takes_layers<typename Shape::Tile>) {
      if (args.across_x != nullptr)
        return std::make_unique<LayeredRing<typename Shape::Tile>>(args, Shape::family);
    }
    return std::make_unique<BuiltInRing<InnerUpdate<float>, typename Shape::Tile>>(args, Shape::family);
  };
  planners.pml = [](const LaunchArgs& args) -> std::unique_ptr<PlannedLaunch> {
    return std::make_unique<BuiltInRing<PmlUpdate<float>, PmlTile>>(args, Shape::family);
  };
  return planners;
}

template <class... Shapes>
std::array<LaunchPlanners, sizeof...(Shapes)> planners_of(TypeList<Shapes...>) {
  return {planners_of_one<Shapes>()...};
}

}  // namespace

std::array<LaunchPlanners, TmaRingList::size> tma_ring_planners() {
  return planners_of(TmaRingList{});
}

LaunchPlanners tma_ring_planners(int radius, Precision precision) {
  using Plan = std::unique_ptr<PlannedLaunch>;
  LaunchPlanners planners;
  planners.inner = [=](const LaunchArgs& args) {
    return with_stencil(precision, radius, [&]<class Real, int R>() -> Plan {
      return std::make_unique<CompiledRing<InnerUpdate<Real, R>, StencilTile<Real, R>>>(args);
    });
  };
  planners.pml = [=](const LaunchArgs& args) {
    return with_stencil(precision, radius, [&]<class Real, int R>() -> Plan {
      return std::make_unique<CompiledRing<PmlUpdate<Real, R>, StencilPmlTile<Real, R>>>(args);
    });
  };
  return planners;
}

}  // namespace minimod
