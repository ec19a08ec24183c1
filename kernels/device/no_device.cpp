/// Stands in for what launches on a GPU in a build without CUDA.
#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/cores/reference.hpp"
#include "kernels/planner_table.hpp"
#include "kernels/relaxation/relaxation_kernels.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

PlannerTable device_planner_table() {
  return {};
}
LaunchPlanners reference_device_planners() {
  return {};
}
LaunchPlanners compiled_device_planners(const NamedShape&, int, Precision, Equation) {
  return {};
}
const GpuCompiler& compiler_of_gpus() {
  return GpuCompiler::nvrtc();
}
std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource&, Extent3, Extent3, std::size_t) {
  throw Error(ErrorKind::unavailable, "this program was built without CUDA",
              text("use ", option("device"), " cpu"));
}
std::vector<relaxation::PlateLaunchers> relaxation::device_launchers() {
  return {};
}

}  // namespace minimod
