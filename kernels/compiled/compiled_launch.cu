/// Launches of shapes that are compiled for the GPU at hand.
#include <map>
#include <mutex>
#include <utility>

#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/device/device_block.cuh"
#include "kernels/device/launch_facts.cuh"
#include "kernels/equation_list.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

gpu_api::Kernel load_kernel(const std::string& code, const std::string& shape) {
  if (!gpu_api::loads_code) {
    int version = 0;
    check(cudaRuntimeGetVersion(&version));
    throw Error(ErrorKind::unavailable,
                text("the kernel ", shape, " is not built in, and this program was built by CUDA ",
                     gpu_api::version_text(version), ", which cannot load what is compiled at run time"),
                text("build by CUDA 12.8 or newer, or take a kernel of ", command("kernels")));
  }
  gpu_api::Kernel kernel = nullptr;
  const cudaError_t result = gpu_api::load(kernel, code);
  if (result == cudaSuccess) return kernel;
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::unavailable,
              text("the compiled kernel ", shape, " cannot be loaded: ", cudaGetErrorString(result)),
              text("take a compiler of the driver's version, or a kernel of ", command("kernels")));
}

/// Name of the machine code of a GPU, whose properties take a while to ask for.
const std::string& code_name_of(int gpu) {
  static std::map<int, std::string> names;
  std::string& name = names[gpu];
  if (name.empty()) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, gpu));
    name = gpu_api::code_name(properties);
  }
  return name;
}

/// The kernel of a source on the present GPU, compiled and loaded when it is asked for first.
gpu_api::Kernel kernel_of(const ShapeSource& source) {
  static std::mutex mutex;
  static std::map<std::string, gpu_api::Kernel> kernels;
  const std::scoped_lock lock(mutex);
  int gpu = 0;
  check(cudaGetDevice(&gpu));
  const std::string& architecture = code_name_of(gpu);
  const std::string key = text(architecture, ' ', gpu_api::loads_for_one_gpu ? gpu : 0, source.text);
  if (const auto found = kernels.find(key); found != kernels.end()) return found->second;
  return kernels[key] =
             load_kernel(compiler_of_gpus().compile(source, architecture, CodeCache::of_user()), source.name);
}

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
  void run_together(const void* args, Extent3 blocks, Stream stream) override {
    void* arguments[] = {const_cast<void*>(args)};
    check_launch(cudaLaunchCooperativeKernel(kernel_, to_dim3(blocks), to_dim3(threads_), arguments,
                                             dynamic_bytes_, stream.as<cudaStream_t>()));
  }

 private:
  gpu_api::Kernel kernel_;
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

const GpuCompiler& compiler_of_gpus() {
  return gpu_api::is_amd ? GpuCompiler::hiprtc() : GpuCompiler::nvrtc();
}

std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource& source, Extent3 blocks, Extent3 threads,
                                               std::size_t shared_bytes) {
  return std::make_unique<LoadedKernel>(source, blocks, threads, shared_bytes);
}

}  // namespace minimod
