/// Device launches of the tiled shapes.
#pragma once

#include "kernels/device_block.cuh"
#include "kernels/launch_facts.cuh"
#include "kernels/launch_table.hpp"

namespace minimod {

/// A launch of a tiled shape.
template <class Shape>
class TiledLaunch final : public PlannedLaunch {
 public:
  explicit TiledLaunch(const LaunchArgs& args)
      : constants_(args),
        facts_(prepare({reinterpret_cast<const void*>(kernel), Shape::blocks(args.box),
                        static_cast<int>(Shape::threads.points()), bytes},
                       Shape::family)) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const LaunchArgs& args, void* stream) override {
    kernel<<<to_dim3(facts_.blocks), to_dim3(Shape::threads), bytes, static_cast<cudaStream_t>(stream)>>>(
        StencilArgs<float>(args, constants_));
    check_launch();
  }

 private:
  static constexpr auto kernel = code_shape<Shape, StencilArgs<float>>;
  static constexpr std::size_t bytes = dynamic_shared_bytes<Shape>;
  StencilConstants<float> constants_;
  LaunchFacts facts_;
};

template <class Shape>
std::unique_ptr<PlannedLaunch> plan_on_device(const LaunchArgs& args) {
  return std::make_unique<TiledLaunch<Shape>>(args);
}

template <std::size_t Part>
void set_device_launches(LaunchTable& table) {
  for_each_in_part<Part>(ShapeList{}, [&]<class Entry>(std::size_t index) {
    table[index].inner = plan_on_device<typename Entry::template Body<InnerUpdate<float>>>;
    table[index].pml = plan_on_device<typename Entry::template Body<PmlUpdate<float>>>;
    table[index].mixed = plan_on_device<typename Entry::template Body<MixedUpdate<float>>>;
  });
}

}  // namespace minimod
