#include "src/measure/stencil_measurement.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/screen.hpp"
#include "src/measure/measurement.hpp"
#include "src/stencil/shipped.hpp"

namespace minimod {

namespace {

using Specification = stencil::Specification;

stencil::ArraySet arrays_that_fit(const Specification& specification, Extent3 n,
                                  const StencilDevice& device) {
  check_stencil_memory(specification, n, device);
  return {specification, n, device.gpu()};
}

}  // namespace

std::string StencilDevice::title() const {
  const std::string name = backend->info().name;
  return is_gpu ? name : name + ", which plays the GPU's threads one by one";
}

Extent3 StencilDevice::usual_grid() const {
  const int edge = is_gpu ? 512 : 48;
  return {edge, edge, edge};
}

StencilDevice choose_stencil_device(const DeviceOption& option) {
  using Kind = DeviceOption::Kind;
  if (option.all || !option.others.empty()) {
    throw Error(ExitCode::usage, "--device names several GPUs, a stencil takes one", "give cuda or cuda:N");
  }
  const bool is_gpu =
      option.kind == Kind::cuda || (option.kind == Kind::automatic && find_cuda_devices().count > 0);
  return {is_gpu ? make_cuda_backend(option.index) : make_host_backend(), is_gpu};
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
  const double needed = stencil::bytes_of_arrays(specification, n);
  const auto there = static_cast<double>(device.backend->free_bytes());
  if (needed <= there) return;
  throw Error(ExitCode::resource,
              text("the arrays of ", escaped(specification.name, 40), " need ", three_digits(needed * 1e-9),
                   " GB, ", three_digits(there * 1e-9), " GB are free"),
              "take a smaller --grid");
}

MeasuredStencil::MeasuredStencil(const Specification& specification, Extent3 n, const StencilDevice& device)
    : backend_(*device.backend), arrays_(arrays_that_fit(specification, n, device)) {}

double MeasuredStencil::seconds_of_steps(const stencil::Kernel& kernel, int steps) {
  constexpr int first = 0, last = 1;  // time marks
  backend_.mark(first);
  for (int step = 0; step < steps; ++step) {
    kernel.run(arrays_.args());
    arrays_.hand_on();
  }
  backend_.mark(last);
  return backend_.seconds_between(first, last);
}

std::vector<double> MeasuredStencil::timed_runs(const stencil::Kernel& kernel, int steps, int repeats) {
  static_cast<void>(seconds_of_steps(kernel, std::max(1, steps / 10)));
  std::vector<double> seconds;
  seconds.reserve(repeats);
  for (int run = 0; run < repeats; ++run) seconds.push_back(seconds_of_steps(kernel, steps));
  return seconds;
}

StencilRates rates_of(const stencil::Facts& facts, Extent3 n, int steps, double seconds) {
  const double gpt = static_cast<double>(n.points()) * steps / seconds * 1e-9;
  return {gpt, gpt * facts.operations(), gpt * facts.compulsory_bytes};
}

nlohmann::ordered_json launch_record_of(const stencil::Kernel& kernel) {
  return kernel.facts ? to_record(*kernel.facts) : nlohmann::ordered_json(nullptr);
}

std::string precision_text(const Specification& specification) {
  return name_in(stencil::precisions, specification.arrays.front().precision);
}

}  // namespace minimod
