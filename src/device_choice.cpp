#include "src/device_choice.hpp"

#include "kernels/registry.hpp"
#include "src/error.hpp"

namespace minimod {

namespace {

constexpr const char* automatic = "auto";
constexpr const char* portable = "kokkos";
/// The fastest shapes for the inner box and for the PML on an H200 (perf/README.md).
constexpr const char* best_inner_on_gpu = "tma_two_steps_64x32";
constexpr const char* best_pml_on_gpu = "tma_ring_128x32";

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

const CodeShape& gpu_shape(const std::string& name, const char* best, const DeviceInfo& device) {
  const CodeShape& shape = find_shape(name == automatic ? best : name);
  if (const std::string reason = why_not(shape, device); !reason.empty()) {
    throw Error(ExitCode::usage,
                text("the kernel ", shape.name, " does not run on ", device.name, ": ", reason),
                "name another (minimod kernels)");
  }
  return shape;
}

const CodeShape& host_shape(const std::string& name, const Options& options, DeviceChoice& choice) {
  const CodeShape& shape = find_shape(name == automatic ? portable : name);
  const bool needs_gpu = shape.host.inner == nullptr;
  if (needs_gpu && options.emulate) {
    throw Error(ExitCode::usage,
                text("the host cannot play ", shape.name, ", which needs Hopper's copy engine"),
                "leave --emulate out, or name another kernel (minimod kernels)");
  }
  if (!needs_gpu && (!shape.emulated || options.emulate)) return shape;
  const std::string reason = options.device.kind == Kind::cpu ? "--device cpu" : find_cuda_devices().why_none;
  choice.notes.push_back(text(reason, ": ", shape.name, " is replaced by the portable kernel on ",
                              choice.device.units, " threads",
                              needs_gpu ? "" : " (--emulate plays the shape itself)"));
  return find_shape(portable);
}

}  // namespace

std::string why_not(const CodeShape& shape, const DeviceInfo& device, Decomposition decomposition) {
  const bool on_host = device.kind == "cpu";
  const Launches& launches = on_host ? shape.host : shape.device;
  if (!on_host && find_cuda_devices().count == 0) return find_cuda_devices().why_none;
  if (!on_host && !shape.only_capability.empty() && shape.only_capability != device.compute_capability) {
    return text("needs compute capability ", shape.only_capability);
  }
  if (launches.inner == nullptr) {
    if (on_host) return "needs a GPU";
    return shape.only_capability.empty() ? "runs on the CPU only"
                                         : text("no code for ", shape.only_capability, " in this program");
  }
  if (on_host && shape.emulated) return "only with --emulate";
  if (decomposition != Decomposition::seven && launches.mixed == nullptr) {
    return "has no kernel of both formulas";
  }
  return "";
}

KernelSet make_kernel_set(const Options& options, const Backend& backend, const CodeShape& inner,
                          const CodeShape& pml) {
  const bool makes_two = backend.launches_of(inner).two_steps != nullptr;
  const bool seven = options.decomposition == Decomposition::seven;
  if (!seven && backend.launches_of(pml).mixed == nullptr) {
    throw Error(ExitCode::usage,
                text("the kernel ", pml.name, " has no kernel of both formulas for --decomposition ",
                     decomposition_name(options.decomposition)),
                "take --decomposition seven, or another --pml-kernel");
  }
  const KernelSet set{
      &inner, &pml, options.schedule.value_or(makes_two && seven ? Schedule::two_steps : Schedule::sequence)};
  if (set.schedule != Schedule::sequence && !seven) {
    throw Error(ExitCode::usage,
                text("--schedule ", schedule_name(set.schedule), " is given with --decomposition ",
                     decomposition_name(options.decomposition)),
                "it needs the decomposition seven");
  }
  if (set.schedule == Schedule::two_steps && !makes_two) {
    throw Error(ExitCode::usage, text("the kernel ", inner.name, " has no launch of two steps here"),
                "take --kernel tma_two_steps on a GPU of compute capability 9.0, or another --schedule");
  }
  return set;
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
  const CodeShape *inner = nullptr, *pml = nullptr;
  if (gpu) {
    inner = &gpu_shape(names[0], best_inner_on_gpu, choice.device);
    pml = &gpu_shape(names[1], best_pml_on_gpu, choice.device);
  } else {
    inner = &host_shape(names[0], options, choice);
    pml = names[1] == names[0] ? inner : &host_shape(names[1], options, choice);
  }
  choice.kernels = make_kernel_set(options, *choice.backend, *inner, *pml);
  return choice;
}

}  // namespace minimod
