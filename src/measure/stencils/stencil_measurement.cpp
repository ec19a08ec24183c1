#include "src/measure/stencils/stencil_measurement.hpp"

#include <algorithm>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/measure/measurement.hpp"
#include "src/stencil/language/shipped.hpp"

namespace minimod {

namespace {

using Specification = stencil::Specification;

/// Error 69 where some ranks compute on GPUs and others emulate threads.
void require_one_kind(bool is_gpu, Ranks& ranks) {
  const auto kinds = ranks.gather(is_gpu ? 1 : 0);
  if (std::ranges::count(kinds, kinds.front()) == ranks.size()) return;
  throw Error(ErrorKind::unavailable, "some ranks have a GPU, others have none",
              text("give ", option("device"), ' ', gpu_kind, " or ", cpu_kind));
}

}  // namespace

bool StencilDevice::emulates_one_of(const std::vector<stencil::KernelName>& kernels) const {
  return std::ranges::any_of(kernels, [&](const auto& kernel) { return emulates(kernel); });
}

std::string StencilDevice::title(const std::vector<stencil::KernelName>& kernels) const {
  const std::string name = backend->info().name;
  return emulates_one_of(kernels) ? name + ", which emulates a GPU's threads one by one" : name;
}

Extent3 StencilDevice::usual_grid(const std::vector<stencil::KernelName>& kernels) const {
  const int edge = is_gpu ? 512 : emulates_one_of(kernels) ? 48 : 200;
  return {edge, edge, edge};
}

int StencilDevice::usual_steps(const std::vector<stencil::KernelName>& kernels) const {
  return is_gpu ? 100 : emulates_one_of(kernels) ? 2 : 20;
}

StencilDevice choose_stencil_device(const DeviceOption& option) {
  StencilDevice device{make_sole_backend(option, "a stencil")};
  device.is_gpu = device.backend->info().is_gpu();
  return device;
}

StencilDevice device_for_names(const StencilMeasureOptions& options) {
  if (!options.kernels.empty()) static_cast<void>(stencil::parse_kernel_names(options.kernels));
  return choose_stencil_device(options.device);
}

StencilDevice choose_stencil_device(const DeviceOption& option, const RankOptions& options, Ranks& ranks) {
  if (ranks.is_alone()) return choose_stencil_device(option);
  StencilDevice device = ranks.all_make([&] { return choose_stencil_device(device_of_rank(option, ranks)); });
  require_one_kind(device.is_gpu, ranks);
  if (device.is_gpu && !options.share_gpu) refuse_shared_gpus(device.backend->info(), ranks);
  if (!device.is_gpu || options.share_gpu) device.sharers = ranks.size_of_node();
  return device;
}

std::vector<Specification> measured_specifications(const StencilMeasureOptions& options) {
  std::vector<Specification> specifications = stencil::find_specifications(options.stencils);
  if (!options.precision) return specifications;
  for (Specification& specification : specifications) {
    specification = stencil::with_precision(std::move(specification), *options.precision);
  }
  return specifications;
}

void check_stencil_memory(const Specification& specification, Extent3 n, const StencilDevice& device) {
  check_free(*device.backend, "the stencil " + escaped(specification.name, 40),
             stencil::bytes_of_arrays(specification, n), device.sharers);
}

void add_emulated(EmulatedWork& work, const StencilDevice& device, const Specification& specification,
                  std::span<const stencil::KernelName> kernels, Extent3 n, double steps) {
  for (const stencil::KernelName& kernel : kernels) {
    if (!device.emulates(kernel) || !stencil::why_not(kernel, specification).empty()) continue;
    const bool has_barriers = stencil::shared_bytes(kernel, specification) > 0;
    work.add(double{1} * n.x * n.y * n.z * steps, stencil::facts_of(specification).operations(),
             has_barriers);
  }
}

std::string precision_text(const Specification& specification) {
  return name_in(stencil::precisions, specification.arrays.front().precision);
}

}  // namespace minimod
