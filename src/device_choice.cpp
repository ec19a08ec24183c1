#include "src/device_choice.hpp"

#include "kernels/registry.hpp"
#include "src/error.hpp"

namespace minimod {

namespace {

constexpr const char* automatic = "auto";
constexpr const char* portable = "kokkos";
/// The fastest shapes for the inner box and for the PML on an H200 (perf/README.md).
constexpr const char* best_inner_on_gpu = "st_reg_shft_db_32x16";
constexpr const char* best_pml_on_gpu = "gmem_16x16x4";

using Kind = DeviceOption::Kind;

/// Of the inner box and of the PML.
std::vector<std::string> kernel_names(const Options& options) {
  return {options.kernel, options.pml_kernel.empty() ? options.kernel : options.pml_kernel};
}

/// A GPU when there is one and every named kernel runs there.
bool takes_gpu(const Options& options, const std::vector<std::string>& names) {
  if (options.device.kind == Kind::cpu || options.emulate) return false;
  if (options.device.kind == Kind::cuda) return true;
  if (find_cuda_devices().count == 0) return false;
  for (const std::string& name : names) {
    if (name != automatic && find_shape(name).device.inner == nullptr) return false;
  }
  return true;
}

const CodeShape& gpu_shape(const std::string& name, const char* best) {
  const CodeShape& shape = find_shape(name == automatic ? best : name);
  if (shape.device.inner == nullptr) {
    throw Error(ExitCode::usage, text("the kernel ", shape.name, " does not run on a GPU"),
                "leave out --device cuda, or name another (minimod kernels)");
  }
  return shape;
}

const CodeShape& host_shape(const std::string& name, const Options& options, DeviceChoice& choice) {
  const CodeShape& shape = find_shape(name == automatic ? portable : name);
  if (!shape.emulated || options.emulate) return shape;
  const std::string reason = options.device.kind == Kind::cpu ? "--device cpu" : find_cuda_devices().why_none;
  choice.notes.push_back(text(reason, ": ", shape.name, " is replaced by the portable kernel on ",
                              choice.device.units, " threads (--emulate plays the shape itself)"));
  return find_shape(portable);
}

}  // namespace

std::string why_not(const CodeShape& shape, const std::string& kind) {
  if (kind == "cpu") return shape.emulated ? "only with --emulate" : "";
  if (shape.device.inner == nullptr && find_cuda_devices().count > 0) return "runs on the CPU only";
  return find_cuda_devices().why_none;
}

void check_kernels(const Options& options) {
  for (const std::string& name : kernel_names(options)) {
    if (name != automatic) static_cast<void>(find_shape(name));
  }
}

DeviceChoice choose_device(const Options& options) {
  const auto names = kernel_names(options);
  if (options.emulate && options.device.kind == Kind::cuda) {
    throw Error(ExitCode::usage, "--emulate is given with --device cuda", "give one of them");
  }
  DeviceChoice choice;
  const bool gpu = takes_gpu(options, names);
  choice.backend = gpu ? make_cuda_backend(options.device.index) : make_host_backend();
  choice.device = choice.backend->info();
  if (gpu) {
    choice.kernels = {&gpu_shape(names[0], best_inner_on_gpu), &gpu_shape(names[1], best_pml_on_gpu)};
  } else {
    choice.kernels.inner = &host_shape(names[0], options, choice);
    choice.kernels.pml = names[1] == names[0] ? choice.kernels.inner : &host_shape(names[1], options, choice);
  }
  return choice;
}

}  // namespace minimod
