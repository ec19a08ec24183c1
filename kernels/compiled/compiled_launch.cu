/// Launches of shapes that are compiled for the GPU at hand.
#include <map>
#include <mutex>
#include <utility>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/compiled/nvrtc.hpp"
#include "kernels/device/device_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "kernels/equation_list.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

#ifdef MINIMOD_HIP

const void* kernel_of(const ShapeSource& source) {
  throw Error(
      ErrorKind::unavailable,
      text("the kernel ", source.name, " is not built in, and a program for HIP compiles none itself"),
      text("take a kernel of ", command("kernels")));
}

#else

#if CUDART_VERSION >= 12080

using KernelHandle = cudaKernel_t;

/// The one kernel of a cubin, for the rest of the process.
KernelHandle load_kernel(const std::string& cubin, const std::string& shape) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaError_t result = cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == cudaSuccess) result = cudaLibraryEnumerateKernels(&kernel, 1, library);
  if (result == cudaSuccess) return kernel;
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::unavailable,
              text("the compiled kernel ", shape, " cannot be loaded: ", cudaGetErrorString(result)),
              text("take nvrtc of the driver's version, or a kernel of ", command("kernels")));
}

#else

using KernelHandle = const void*;

KernelHandle load_kernel(const std::string&, const std::string& shape) {
  throw Error(ErrorKind::unavailable,
              text("the kernel ", shape, " is not built in, and this program was built by CUDA ",
                   CUDART_VERSION / 1000, '.', CUDART_VERSION % 1000 / 10,
                   ", which cannot load what is compiled at run time"),
              text("build by CUDA 12.8 or newer, or take a kernel of ", command("kernels")));
}

#endif

ComputeCapability capability_of_present_gpu() {
  return {attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor)};
}

/// The kernel of a source on the present GPU, compiled and loaded when it is asked for first.
KernelHandle kernel_of(const ShapeSource& source) {
  static std::mutex mutex;
  static std::map<std::string, KernelHandle> kernels;
  const std::scoped_lock lock(mutex);
  const ComputeCapability capability = capability_of_present_gpu();
  const std::string key = capability.text() + source.text;
  if (const auto found = kernels.find(key); found != kernels.end()) return found->second;
  return kernels[key] = load_kernel(compile_for_gpu(source, capability, CodeCache::of_user()), source.name);
}

#endif  // MINIMOD_HIP

class LoadedKernel final : public CompiledKernel {
 public:
  LoadedKernel(const ShapeSource& source, Extent3 blocks, Extent3 threads, std::size_t shared_bytes)
      : kernel_(kernel_of(source)),
        threads_(threads),
        dynamic_bytes_(shared_bytes > static_shared_limit ? shared_bytes : 0),
        facts_(prepare({kernel_, blocks, static_cast<int>(threads.points()), dynamic_bytes_},
                       source.name.c_str())) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const void* args, Extent3 blocks, Stream stream) override {
    void* arguments[] = {const_cast<void*>(args)};
    check_launch(cudaLaunchKernel(kernel_, to_dim3(blocks), to_dim3(threads_), arguments, dynamic_bytes_,
                                  stream.as<cudaStream_t>()));
  }

 private:
  const void* kernel_;
  Extent3 threads_;
  std::size_t dynamic_bytes_;
  LaunchFacts facts_;
};

template <class Args>
class CompiledLaunch final : public PlannedLaunch {
 public:
  CompiledLaunch(std::unique_ptr<CompiledKernel> kernel, const LaunchArgs& args)
      : kernel_(std::move(kernel)), constants_(args) {}

  [[nodiscard]] LaunchFacts facts() const override { return kernel_->facts(); }
  void run(const LaunchArgs& args, Stream stream) override {
    const Args given(args, constants_);
    kernel_->run(&given, facts().blocks, stream);
  }

 private:
  std::unique_ptr<CompiledKernel> kernel_;
  typename Args::Constants constants_;
};

}  // namespace

LaunchPlanners compiled_device_planners(const NamedShape& shape, int radius, Precision precision,
                                        Equation equation) {
  return planners_of_formulas(equation, [&](Formula formula) -> LaunchPlanner {
    return [=](const LaunchArgs& args) {
      const auto& [family, parameters] = shape;
      auto kernel = compile_kernel(device_source(shape, radius, precision, formula, equation),
                                   blocks_over(shape, args.box),
                                   family->threads(parameters, {formula_damps(formula), radius, precision}),
                                   shared_bytes(shape, radius, precision, equation));
      return with_args(equation, radius, precision, [&]<class Args>() -> std::unique_ptr<PlannedLaunch> {
        return std::make_unique<CompiledLaunch<Args>>(std::move(kernel), args);
      });
    };
  });
}

std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource& source, Extent3 blocks, Extent3 threads,
                                               std::size_t shared_bytes) {
  return std::make_unique<LoadedKernel>(source, blocks, threads, shared_bytes);
}

}  // namespace minimod
