/// NVIDIA's compiler as a library (nvrtc), which is loaded when it is first needed: a program that was built
/// without CUDA compiles with it, too, though it launches nothing.
#pragma once

#include <string>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/compiled/shape_source.hpp"

namespace minimod {

/// Whether it is there, and if so which.
struct NvrtcFacts {
  std::string version;   ///< "13.0"
  std::string why_none;  ///< empty when it is there
};
[[nodiscard]] NvrtcFacts find_nvrtc();

/// Machine code for GPUs of that capability, unless the cache has it. Error 69 where there is no nvrtc, where
/// it knows no such GPU, and where it refuses the source.
[[nodiscard]] std::string compile_for_gpu(const ShapeSource& source, ComputeCapability capability,
                                          const CodeCache& cache);

}  // namespace minimod
