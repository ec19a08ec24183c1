/// Launches of shapes that are compiled for the GPU at hand.
#include <map>
#include <mutex>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/compiled/nvrtc.hpp"
#include "kernels/device_block.cuh"
#include "kernels/launch_facts.cuh"
#include "src/base/error.hpp"

namespace minimod {

namespace {

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
  throw Error(ExitCode::unavailable,
              text("the compiled kernel ", shape, " cannot be loaded: ", cudaGetErrorString(result)),
              "take nvrtc of the driver's version, or a kernel of minimod kernels");
}

#else

using KernelHandle = const void*;

KernelHandle load_kernel(const std::string&, const std::string& shape) {
  throw Error(ExitCode::unavailable,
              text("the kernel ", shape, " is not built in, and this program was built by CUDA ",
                   CUDART_VERSION / 1000, '.', CUDART_VERSION % 1000 / 10,
                   ", which cannot load what is compiled at run time"),
              "build by CUDA 12.8 or newer, or take a kernel of minimod kernels");
}

#endif

ComputeCapability capability_of_present_gpu() {
  int device = 0;
  ComputeCapability capability;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, device));
  return capability;
}

/// A kernel of a shape, compiled when it is asked for first, for each kind of GPU.
class DeviceKernel {
 public:
  DeviceKernel(const NamedShape& shape, int radius, Precision precision, Formula formula)
      : shape_(shape), radius_(radius), precision_(precision), formula_(formula) {}

  [[nodiscard]] const void* on_present_gpu() {
    const std::scoped_lock lock(mutex_);
    const ComputeCapability capability = capability_of_present_gpu();
    const auto [entry, is_new] = kernels_.try_emplace(capability.text());
    if (is_new) {
      try {
        const ShapeSource source = device_source(shape_, radius_, precision_, formula_);
        entry->second = load_kernel(compile_for_gpu(source, capability, CodeCache::of_user()), source.name);
      } catch (...) {
        kernels_.erase(entry);
        throw;
      }
    }
    return entry->second;
  }

  [[nodiscard]] KernelLaunch launch_over(const Box3& box) {
    return {on_present_gpu(), blocks_over(shape_, box), static_cast<int>(threads_of_block().points()),
            dynamic_bytes()};
  }
  [[nodiscard]] Extent3 threads_of_block() const {
    return shape_.family->threads(shape_.parameters, formula_damps(formula_));
  }
  [[nodiscard]] const char* family() const { return shape_.family->name; }

 private:
  [[nodiscard]] std::size_t dynamic_bytes() const {
    const std::size_t bytes = shape_.family->shared_values(shape_.parameters, radius_) * bytes_of(precision_);
    return bytes > static_shared_limit ? bytes : 0;
  }

  NamedShape shape_;
  int radius_;
  Precision precision_;
  Formula formula_;
  std::mutex mutex_;
  std::map<std::string, KernelHandle> kernels_;
};

template <class Args>
class CompiledLaunch final : public PlannedLaunch {
 public:
  CompiledLaunch(DeviceKernel& kernel, const LaunchArgs& args)
      : constants_(args),
        launch_(kernel.launch_over(args.box)),
        facts_(prepare(launch_, kernel.family())),
        threads_(to_dim3(kernel.threads_of_block())) {}

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const LaunchArgs& args, void* stream) override {
    Args given(args, constants_);
    void* arguments[] = {&given};
    check_launch(cudaLaunchKernel(launch_.kernel, to_dim3(launch_.blocks), threads_, arguments,
                                  launch_.dynamic_bytes, static_cast<cudaStream_t>(stream)));
  }

 private:
  typename Args::Constants constants_;
  KernelLaunch launch_;
  LaunchFacts facts_;
  dim3 threads_;
};

class LoadedKernel final : public CompiledKernel {
 public:
  LoadedKernel(KernelHandle kernel, const std::string& name, Extent3 blocks, Extent3 threads,
               std::size_t shared_bytes)
      : kernel_(kernel),
        threads_(threads),
        dynamic_bytes_(shared_bytes > static_shared_limit ? shared_bytes : 0),
        facts_(prepare({kernel_, blocks, static_cast<int>(threads.points()), dynamic_bytes_}, name.c_str())) {
  }

  [[nodiscard]] LaunchFacts facts() const override { return facts_; }
  void run(const void* args, Extent3 blocks, void* stream) override {
    void* arguments[] = {const_cast<void*>(args)};
    check_launch(cudaLaunchKernel(kernel_, to_dim3(blocks), to_dim3(threads_), arguments, dynamic_bytes_,
                                  static_cast<cudaStream_t>(stream)));
  }

 private:
  const void* kernel_;
  Extent3 threads_;
  std::size_t dynamic_bytes_;
  LaunchFacts facts_;
};

}  // namespace

Launches compiled_device_launches(const NamedShape& shape, int radius, Precision precision) {
  const auto launch = [&](Formula formula) -> PlanLaunch {
    const auto kernel = std::make_shared<DeviceKernel>(shape, radius, precision, formula);
    return [kernel, radius, precision](const LaunchArgs& args) {
      return with_stencil(precision, radius, [&]<class Real, int Radius>() -> std::unique_ptr<PlannedLaunch> {
        return std::make_unique<CompiledLaunch<StencilArgs<Real, Radius>>>(*kernel, args);
      });
    };
  };
  Launches launches;
  launches.inner = launch(Formula::inner);
  launches.pml = launch(Formula::pml);
  launches.mixed = launch(Formula::mixed);
  launches.jacobi = launch(Formula::jacobi);
  return launches;
}

std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource& source, Extent3 blocks, Extent3 threads,
                                               std::size_t shared_bytes) {
  const std::string code = compile_for_gpu(source, capability_of_present_gpu(), CodeCache::of_user());
  return std::make_unique<LoadedKernel>(load_kernel(code, source.name), source.name, blocks, threads,
                                        shared_bytes);
}

}  // namespace minimod
