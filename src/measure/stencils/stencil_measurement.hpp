/// Common parts of the commands that measure kernels of stencils (stencil run, bench, tune, roofline): the
/// device, the time of steps, and the rates that follow.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/host/emulated_work.hpp"
#include "src/choice/emulated.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/measure/stencils/stencil_verification.hpp"
#include "src/ranks/stencil_part.hpp"
#include "src/stencil/kernels.hpp"

namespace minimod {

/// Subject of a measurement of stencils.
struct StencilMeasureOptions {
  std::string stencils;  ///< a list of find_specifications
  std::string kernels;   ///< one of parse_kernel_names; empty: what the command takes
  DeviceOption device;
  std::optional<Extent3> grid;
  std::optional<int> steps;  ///< steps of a timed run
  /// Precision of all arrays; nothing: as the specifications have it.
  std::optional<stencil::Precision> precision;
};

/// Where kernels run: a GPU, or the host, which has a kernel of its own and emulates the threads of others.
struct StencilDevice {
  std::unique_ptr<Backend> backend;
  bool is_gpu = false;
  int sharers = 1;  ///< ranks whose arrays are in the same memory

  /// Null on the host.
  [[nodiscard]] Backend* gpu() const { return is_gpu ? backend.get() : nullptr; }
  /// Whether it emulates the threads of a kernel, whose speed is none then.
  [[nodiscard]] bool emulates(const stencil::KernelName& kernel) const {
    return !is_gpu && !kernel.family->is_of_cores();
  }
  [[nodiscard]] bool emulates_one_of(const std::vector<stencil::KernelName>& kernels) const;
  [[nodiscard]] std::string title(const std::vector<stencil::KernelName>& kernels) const;
  /// The grid measured unasked: threads are emulated thousands of times slower.
  [[nodiscard]] Extent3 usual_grid(const std::vector<stencil::KernelName>& kernels) const;
  [[nodiscard]] int usual_steps(const std::vector<stencil::KernelName>& kernels) const;
  [[nodiscard]] stencil::UsualKernels usual_kernels() const {
    return is_gpu ? stencil::UsualKernels::of_gpu : stencil::UsualKernels::of_host;
  }
  /// Kernels of the list; where it is empty, those whose speed says something here. Error 64.
  [[nodiscard]] std::vector<stencil::KernelName> measured(const std::string& list) const {
    return stencil::parse_kernel_names(!list.empty() ? list : is_gpu ? "all" : "rows", usual_kernels());
  }
};

/// Errors: 64 several GPUs, 69 no such device.
[[nodiscard]] StencilDevice choose_stencil_device(const DeviceOption& option);
/// For kernels that are measured, whose names are looked at before it is asked for. Error 64.
[[nodiscard]] StencilDevice device_for_names(const StencilMeasureOptions& options);
/// A device for ranks that compute a grid together: each has a GPU of its own, or all emulate threads. Error
/// 69, on all, where that is not so, without RankOptions::share_gpu.
[[nodiscard]] StencilDevice choose_stencil_device(const DeviceOption& option, const RankOptions& options,
                                                  Ranks& ranks);

/// Adds `steps` steps of kernels on a grid; nothing where a GPU has its own threads.
void add_emulated(EmulatedWork& work, const StencilDevice& device,
                  const stencil::Specification& specification, std::span<const stencil::KernelName> kernels,
                  Extent3 n, double steps);

/// The specifications that are measured.
[[nodiscard]] std::vector<stencil::Specification> measured_specifications(
    const StencilMeasureOptions& options);

/// Error 71 where the arrays do not fit the free memory of the device, which ranks may share.
void check_stencil_memory(const stencil::Specification& specification, Extent3 n,
                          const StencilDevice& device);

/// "float" or "double": of the first array.
[[nodiscard]] std::string precision_text(const stencil::Specification& specification);

}  // namespace minimod
