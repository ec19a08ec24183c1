/// Device launches of the tiled shapes.
#pragma once

#include "kernels/device/shape_kernel.cuh"
#include "kernels/planner_table.hpp"

namespace minimod {

/// A launch of a tiled shape.
template <class Shape>
class TiledLaunch final : public PlannedLaunch {
  using Kernel = ShapeKernel<Shape, WaveArgs<float>>;

 public:
  explicit TiledLaunch(const LaunchArgs& args) : constants_(args), facts_(Kernel::facts(args.box)) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const LaunchArgs& args, Stream stream) override {
    Kernel::run(WaveArgs<float>(args, constants_), stream);
  }

 private:
  WaveConstants<float> constants_;
  LaunchFacts facts_;
};

template <class Shape>
std::unique_ptr<PlannedLaunch> plan_on_device(const LaunchArgs& args) {
  return std::make_unique<TiledLaunch<Shape>>(args);
}

template <std::size_t Part>
void set_device_planners(PlannerTable& table) {
  for_each_in_part<Part>([&]<class Entry>(std::size_t index) {
    table[index].inner = plan_on_device<typename Entry::template Body<InnerUpdate<float>>>;
    table[index].pml = plan_on_device<typename Entry::template Body<PmlUpdate<float>>>;
    table[index].mixed = plan_on_device<typename Entry::template Body<MixedUpdate<float>>>;
  });
}

}  // namespace minimod
