/// Stands in for what launches on a GPU in a build without CUDA.
#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/launch_table.hpp"
#include "kernels/relaxation/relaxation_kernels.hpp"
#include "kernels/shapes/reference.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

LaunchTable device_launch_table() {
  return {};
}
LaunchPlanners reference_device_launches() {
  return {};
}
LaunchPlanners compiled_device_launches(const NamedShape&, int, Precision, Equation) {
  return {};
}
std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource&, Extent3, Extent3, std::size_t) {
  throw Error(ErrorKind::unavailable, "this program was built without CUDA",
              text("use ", option("device"), " cpu"));
}
std::vector<relaxation::PlateLaunchers> relaxation::device_launches() {
  return {};
}

}  // namespace minimod
