#include "src/library/kokkos_start.hpp"

#include <mutex>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"

namespace minimod {

namespace {

/// GPUs of the back end; one where there is no such back end, and none is needed.
int gpus_of_back_end() {
  int count = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (cudaGetDeviceCount(&count) != cudaSuccess) return 0;
#elif defined(KOKKOS_ENABLE_HIP)
  if (hipGetDeviceCount(&count) != hipSuccess) return 0;
#elif defined(KOKKOS_ENABLE_SYCL)
  count = static_cast<int>(sycl::device::get_devices(sycl::info::device_type::gpu).size());
#else
  count = 1;
#endif
  return count;
}

}  // namespace

void require_gpu_of_kokkos() {
  if (gpus_of_back_end() > 0) return;
  throw Error(ErrorKind::unavailable,
              text("this program was built with Kokkos for ", Kokkos::DefaultExecutionSpace::name(),
                   ", which finds no GPU on this machine and starts on none"),
              "take a build with a Kokkos for the host");
}

void start_kokkos() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (Kokkos::is_initialized()) return;
    require_gpu_of_kokkos();
#if KOKKOS_VERSION >= 30700
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
    Kokkos::InitArguments arguments;
    arguments.disable_warnings = true;
    Kokkos::initialize(arguments);
#endif
  });
}

}  // namespace minimod
