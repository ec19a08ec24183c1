/// Functions of CUDA's driver that the program calls.
#pragma once

#include "kernels/device/cuda_check.cuh"

#ifdef MINIMOD_HIP

namespace minimod {

inline bool wait_for_counter(hipStream_t, const unsigned*, unsigned) {
  return false;  // nothing built for HIP counts before a launch ends
}

}  // namespace minimod

#else

#include "kernels/device/driver_function.cuh"

namespace minimod {

/// As CUDA 12 has it. Errors: 71 where the driver does not know it; those of check.
template <class Function>
[[nodiscard]] Function* driver_function(const char* name) {
  return driver_function<Function>(name, 12000, [](cudaError_t status) { check(status); });
}

/// Throws when a function of the driver did not do what it was asked. Error 69.
inline void check_driver(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  throw Error(ErrorKind::unavailable, text("CUDA driver error ", static_cast<int>(result)),
              text("check the driver, or run with ", option("device"), " cpu"));
}

/// Has a stream wait until a counter has come to a number (mod 2³²), where the driver can.
[[nodiscard]] inline bool wait_for_counter(cudaStream_t stream, const unsigned* counter, unsigned number) {
  static auto* const wait = driver_function<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  const CUresult result =
      wait(stream, reinterpret_cast<CUdeviceptr>(counter), number, CU_STREAM_WAIT_VALUE_GEQ);
  if (result == CUDA_ERROR_NOT_SUPPORTED) return false;
  check_driver(result);
  return true;
}

}  // namespace minimod

#endif
