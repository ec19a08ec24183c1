#include "kernels/compiled/compiled_shape.hpp"

#include <memory>
#include <mutex>
#include <optional>

#include "kernels/compiled/host_compiler.hpp"
#include "kernels/equation_list.hpp"
#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/precision_names.hpp"

namespace minimod {

namespace {

/// The functions of a shape, compiled when they are asked for first.
class HostShape {
 public:
  HostShape(const NamedShape& shape, int radius, Precision precision, Equation equation)
      : shape_(shape), radius_(radius), precision_(precision), equation_(equation) {}
  [[nodiscard]] const HostFunctions& functions() {
    const std::scoped_lock lock(mutex_);
    if (!functions_) {
      const ShapeSource source = host_source(shape_, radius_, precision_, equation_);
      functions_ = compile_for_host(source, host_compiler(), CodeCache::of_user());
    }
    return *functions_;
  }

 private:
  NamedShape shape_;
  int radius_;
  Precision precision_;
  Equation equation_;
  std::mutex mutex_;
  std::optional<HostFunctions> functions_;
};

}  // namespace

LaunchPlanner planner_of_host_function(HostFunctions::value_type function, int radius, Precision precision,
                                       Equation equation) {
  return with_args(equation, radius, precision, [&]<class Args>() {
    return on_host<Args>([function](const Args& args) { function(&args); });
  });
}

LaunchPlanners compiled_host_planners(const NamedShape& shape, int radius, Precision precision,
                                      Equation equation) {
  const auto code = std::make_shared<HostShape>(shape, radius, precision, equation);
  return planners_of_formulas(equation, [&](Formula formula) -> LaunchPlanner {
    return [=, number = static_cast<std::size_t>(formula)](const LaunchArgs& args) {
      return planner_of_host_function(code->functions()[number], radius, precision, equation)(args);
    };
  });
}

CodeShape compiled_shape(const NamedShape& shape, int radius, Precision precision, const CodeShape& built_in,
                         Equation equation) {
  const auto& [family, parameters] = shape;
  CodeShape made = built_in;
  made.name = shape_name(family->name, parameters);
  if (const std::string why = why_impossible(shape, radius, precision, equation); !why.empty()) {
    throw Error(ErrorKind::parameter,
                text("the kernel ", made.name, radius == stencil_radius ? "" : text(" of order ", 2 * radius),
                     precision == Precision::float32 ? "" : text(" in ", precision_name(precision)),
                     equation == Equation::wave ? "" : text(" of the equation ", equation_name(equation)),
                     " cannot be: ", why),
                has_wave_star(equation) || family->takes_any_equation
                    ? text("take another tile of ", naming(*family))
                    : text("take one of ", families_of_any_equation()));
  }
  made.radius = radius;
  made.precision = precision;
  made.equation = equation;
  made.compiled = true;
  made.tile = parameters.tile;
  made.is_default_tile = false;
  made.threads = static_cast<int>(family->threads(parameters, {false, radius, precision}).points());
  made.needs.shared_bytes = shared_bytes(shape, radius, precision, equation);
  made.host = compiled_host_planners(shape, radius, precision, equation);
  made.device = compiled_device_planners(shape, radius, precision, equation);
  return made;
}

}  // namespace minimod
