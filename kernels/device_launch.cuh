/// Device launches of the tiled shapes: one generic kernel that declares the shared memory and calls the
/// shape.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "kernels/cuda_check.cuh"
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

inline dim3 to_dim3(Extent3 n) {
  return {static_cast<unsigned>(n.x), static_cast<unsigned>(n.y), static_cast<unsigned>(n.z)};
}

/// Shared memory that a kernel may declare; beyond, the launch must ask for it.
inline constexpr std::size_t static_shared_limit = 48 * 1024;

/// What a launch of the shape asks for beside what its kernel declares.
template <class Shape>
inline constexpr std::size_t dynamic_shared_bytes = sizeof(typename Shape::Shared) > static_shared_limit
                                                        ? sizeof(typename Shape::Shared)
                                                        : 0;

/// Blocks of the shape that a multiprocessor should hold at once, which bounds their registers; 0: no bound.
template <class Shape>
constexpr int wanted_blocks() {
  if constexpr (requires { Shape::blocks_per_multiprocessor; }) return Shape::blocks_per_multiprocessor;
  return 0;
}

template <class Shape, class Args>
__global__ void __launch_bounds__(Shape::threads.points(), wanted_blocks<Shape>())
    code_shape(const __grid_constant__ Args args) {
  if constexpr (dynamic_shared_bytes < Shape >> 0) {
    extern __shared__ __align__(128) unsigned char memory[];
    Shape{}(DeviceBlock{}, args, *reinterpret_cast<typename Shape::Shared*>(memory));
  } else {
    __shared__ typename Shape::Shared shared;
    Shape{}(DeviceBlock{}, args, shared);
  }
}

/// Multiprocessors of the present GPU.
inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

/// Lets a kernel have that much shared memory beside what it declares.
template <class Kernel>
void allow_shared_bytes(Kernel kernel, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/// What a launch of `kernel` over those blocks takes of the present GPU.
template <class Kernel>
LaunchFacts describe_kernel(Kernel kernel, Extent3 blocks, int threads, std::size_t dynamic_bytes = 0) {
  LaunchFacts facts{blocks, threads};
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel));
  facts.registers = attributes.numRegs;
  facts.shared_bytes = attributes.sharedSizeBytes + dynamic_bytes;
  facts.local_bytes = attributes.localSizeBytes;
  allow_shared_bytes(kernel, dynamic_bytes);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts.active_blocks, kernel, threads, dynamic_bytes));
  int device = 0, most_threads = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  facts.occupancy = static_cast<double>(facts.active_blocks) * threads / most_threads;
  return facts;
}

template <class Shape>
LaunchFacts describe_on_device(const Box3& box, const Layout& /*at*/) {
  return describe_kernel(code_shape<Shape, StencilArgs<float>>, Shape::blocks(box),
                         static_cast<int>(Shape::threads.points()), dynamic_shared_bytes<Shape>);
}

template <class Shape>
void launch_on_device(const StencilArgs<float>& args, void* stream) {
  if (args.box.empty()) return;
  constexpr std::size_t bytes = dynamic_shared_bytes<Shape>;
  allow_shared_bytes(code_shape<Shape, StencilArgs<float>>, bytes);
  code_shape<Shape><<<to_dim3(Shape::blocks(args.box)), to_dim3(Shape::threads), bytes,
                      static_cast<cudaStream_t>(stream)>>>(args);
  check(cudaGetLastError());
}

template <std::size_t Part>
void set_device_launches(LaunchTable& table) {
  for_each_in_part<Part>(ShapeList{}, [&]<class Entry>(std::size_t index) {
    using Inner = typename Entry::template Body<InnerUpdate<float>>;
    using Pml = typename Entry::template Body<PmlUpdate<float>>;
    using Mixed = typename Entry::template Body<MixedUpdate<float>>;
    table[index] = {launch_on_device<Inner>,   launch_on_device<Pml>,   launch_on_device<Mixed>,
                    describe_on_device<Inner>, describe_on_device<Pml>, describe_on_device<Mixed>};
  });
}

}  // namespace minimod
