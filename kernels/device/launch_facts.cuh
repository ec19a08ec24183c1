/// Facts of a kernel on the present GPU, before it is launched.
#pragma once

#include <cstddef>

#include "kernels/code_shape.hpp"
#include "kernels/device/cuda_check.cuh"

namespace minimod {

/// A fact of the present GPU.
[[nodiscard]] int attribute(cudaDeviceAttr which);
[[nodiscard]] inline int multiprocessors() {
  return attribute(cudaDevAttrMultiProcessorCount);
}

/// A kernel, and what it is launched with.
struct KernelLaunch {
  gpu_api::Kernel kernel = {};
  Extent3 blocks;
  int threads = 0;                ///< threads of a block
  std::size_t dynamic_bytes = 0;  ///< shared memory of a block beside what the kernel declares
};

/// Lets the kernel have its shared memory, and says what the launch takes. Error 71, which names the shape,
/// for more blocks along an axis than the GPU takes, and what else it refuses.
[[nodiscard]] LaunchFacts prepare(const KernelLaunch& launch, const char* shape);

/// Error 71 unless the blocks of a cooperative launch, which wait for each other, can be on the GPU at once.
void check_room(const LaunchFacts& facts, int blocks, const char* shape);

[[nodiscard]] inline dim3 to_dim3(Extent3 n) {
  return {static_cast<unsigned>(n.x), static_cast<unsigned>(n.y), static_cast<unsigned>(n.z)};
}

}  // namespace minimod
