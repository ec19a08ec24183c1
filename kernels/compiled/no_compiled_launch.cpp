/// Stands in for the compiled launches of the device in a build without CUDA.
#include "kernels/compiled/compiled_kernel.hpp"
#include "kernels/compiled/compiled_shape.hpp"
#include "src/base/error.hpp"

namespace minimod {

Launches compiled_device_launches(const NamedShape&, int, Precision) {
  return {};
}

std::unique_ptr<CompiledKernel> compile_kernel(const ShapeSource&, Extent3, Extent3, std::size_t) {
  throw Error(ExitCode::unavailable, "this program was built without CUDA", "use --device cpu");
}

}  // namespace minimod
