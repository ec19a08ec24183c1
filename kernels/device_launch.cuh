/// Device launches of the tiled shapes: one generic kernel that declares the shared memory and calls the
/// shape.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "kernels/launch_facts.cuh"
#include "kernels/launch_table.hpp"

namespace minimod {

/// The `Block` of the device.
struct DeviceBlock {
  [[nodiscard]] __device__ Index3 thread() const {
    return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.z)};
  }
  [[nodiscard]] __device__ Index3 index() const {
    return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
  }
  __device__ void sync() const { __syncthreads(); }

  /// cp.async on sm_80 and later, plain copies before.
  template <class Value>
  __device__ void copy_async(Value* shared, const Value* global) const {
    __pipeline_memcpy_async(shared, global, sizeof(Value));
  }
  __device__ void commit() const { __pipeline_commit(); }
  template <int Pending>
  __device__ void wait() const {
    __pipeline_wait_prior(Pending);
  }
};

/// Shared memory that a kernel may declare; beyond, the launch must ask for it.
inline constexpr std::size_t static_shared_limit = 48 * 1024;

/// What a launch of the shape asks for beside what its kernel declares.
template <class Shape>
inline constexpr std::size_t dynamic_shared_bytes = sizeof(typename Shape::Shared) > static_shared_limit
                                                        ? sizeof(typename Shape::Shared)
                                                        : 0;

template <class Shape, class Args>
__global__ void __launch_bounds__(Shape::threads.points(), Shape::blocks_per_multiprocessor)
    code_shape(const __grid_constant__ Args args) {
  if constexpr (dynamic_shared_bytes < Shape >> 0) {
    extern __shared__ __align__(128) unsigned char memory[];
    Shape{}(DeviceBlock{}, args, *reinterpret_cast<typename Shape::Shared*>(memory));
  } else {
    __shared__ typename Shape::Shared shared;
    Shape{}(DeviceBlock{}, args, shared);
  }
}

/// A launch of a tiled shape.
template <class Shape>
class TiledLaunch final : public PlannedLaunch {
 public:
  explicit TiledLaunch(const StencilArgs<float>& args)
      : facts_(prepare({reinterpret_cast<const void*>(kernel), Shape::blocks(args.box),
                        static_cast<int>(Shape::threads.points()), bytes},
                       Shape::family)) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const StencilArgs<float>& args, void* stream) override {
    kernel<<<to_dim3(facts_.blocks), to_dim3(Shape::threads), bytes, static_cast<cudaStream_t>(stream)>>>(
        args);
    check_launch();
  }

 private:
  static constexpr auto kernel = code_shape<Shape, StencilArgs<float>>;
  static constexpr std::size_t bytes = dynamic_shared_bytes<Shape>;
  LaunchFacts facts_;
};

template <class Shape>
std::unique_ptr<PlannedLaunch> plan_on_device(const StencilArgs<float>& args) {
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
