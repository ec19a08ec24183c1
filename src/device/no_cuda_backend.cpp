/// Stands in for the GPU in a build without CUDA.
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/device/backend.hpp"

namespace minimod {

namespace {

constexpr const char* why_none = "this program was built without CUDA";

std::unique_ptr<Backend> refuse(int /*index*/) {
  throw Error(ErrorKind::unavailable, why_none,
              text("set MINIMOD_ARCHITECTURES=all for the launcher, which builds with nvcc then, or use ",
                   option("device"), " cpu"));
}

}  // namespace

const DeviceKind gpu_devices{gpu_kind,
                             [] {
                               return DevicesFound{0, why_none};
                             },
                             refuse, [](int /*index*/) noexcept {}};

}  // namespace minimod
