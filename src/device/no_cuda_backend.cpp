/// Stands in for the GPU in a build without CUDA.
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/backend.hpp"

namespace minimod {

CudaDevices find_cuda_devices() {
  return {0, "this program was built without CUDA"};
}

std::unique_ptr<Backend> make_cuda_backend(int /*index*/) {
  throw Error(ErrorKind::unavailable, find_cuda_devices().why_none,
              text("set MINIMOD_ARCHITECTURES=all for the launcher, which builds with nvcc then, or use ",
                   option("device"), " cpu"));
}

void leave_cuda_device(int /*index*/) noexcept {}

}  // namespace minimod
