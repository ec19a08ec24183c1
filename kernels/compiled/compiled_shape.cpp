#include "kernels/compiled/compiled_shape.hpp"

#include <memory>
#include <mutex>
#include <optional>

#include "kernels/compiled/host_compiler.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

/// The functions of a shape, compiled when they are asked for first.
class HostShape {
 public:
  explicit HostShape(const NamedShape& shape) : shape_(shape) {}
  [[nodiscard]] const HostFunctions& functions() {
    const std::scoped_lock lock(mutex_);
    if (!functions_)
      functions_ = compile_for_host(host_source(shape_), host_compiler(), CodeCache::of_user());
    return *functions_;
  }

 private:
  NamedShape shape_;
  std::mutex mutex_;
  std::optional<HostFunctions> functions_;
};

Launches compiled_host_launches(const NamedShape& shape) {
  const auto code = std::make_shared<HostShape>(shape);
  const auto launch = [&](std::size_t formula) -> PlanLaunch {
    return [code, formula](const StencilArgs<float>& args) {
      return unplanned(code->functions()[formula])(args);
    };
  };
  Launches launches;
  launches.inner = launch(0);
  launches.pml = launch(1);
  launches.mixed = launch(2);
  return launches;
}

}  // namespace

CodeShape compiled_shape(const NamedShape& shape, const CodeShape& built_in) {
  const auto& [family, parameters] = shape;
  CodeShape made = built_in;
  made.name = shape_name(family->name, parameters);
  if (const std::string why = why_impossible(shape, stencil_radius, sizeof(float)); !why.empty()) {
    throw Error(ExitCode::usage, text("the kernel ", made.name, " cannot be: ", why),
                text("take another tile of ", naming(*family)));
  }
  made.tile = parameters.tile;
  made.is_default_tile = false;
  made.threads = static_cast<int>(family->threads(parameters, false).points());
  made.needs.shared_bytes = family->shared_values(parameters, stencil_radius) * sizeof(float);
  made.host = compiled_host_launches(shape);
  made.device.inner = compiled_device_launch(shape, Formula::inner);
  made.device.pml = compiled_device_launch(shape, Formula::pml);
  made.device.mixed = compiled_device_launch(shape, Formula::mixed);
  return made;
}

}  // namespace minimod
