/// A kernel of a source on the present GPU.
#pragma once

#include <memory>

#include "kernels/code_shape.hpp"
#include "kernels/compiled/gpu_compiler.hpp"

namespace minimod {

class CompiledKernel {
 public:
  CompiledKernel() = default;
  CompiledKernel(const CompiledKernel&) = delete;
  CompiledKernel& operator=(const CompiledKernel&) = delete;
  virtual ~CompiledKernel() = default;

  [[nodiscard]] virtual LaunchFacts facts() const = 0;
  /// `args`: the kernel's one argument; `blocks`: along no axis more than it was loaded for.
  virtual void run(const void* args, Extent3 blocks, Stream stream) = 0;
  /// With all blocks on the GPU at once, or not at all.
  virtual void run_together(const void* args, Extent3 blocks, Stream stream) = 0;
};

/// The compiler for the GPUs that the program is built for.
[[nodiscard]] const GpuCompiler& compiler_of_gpus();

/// Compiles unless the cache has it, and loads it for `blocks` blocks of `threads` with `shared_bytes` of
/// shared memory or less. Errors: those of GpuCompiler, 71 for what the GPU cannot launch, 69 in a
/// program without GPUs.
[[nodiscard]] std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource& source, Extent3 blocks,
                                                             Extent3 threads, std::size_t shared_bytes);

}  // namespace minimod
