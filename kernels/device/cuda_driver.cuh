/// Functions of CUDA's driver, found when the program runs: it needs no link with the driver.
#pragma once

#include "kernels/device/cuda_check.cuh"

#ifdef MINIMOD_HIP

namespace minimod {

inline bool wait_for_counter(hipStream_t, const unsigned*, unsigned) {
  return false;  // nothing built for HIP counts before a launch ends
}

}  // namespace minimod

#else

#include <cuda.h>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

/// As CUDA 12 has it. Error 71 where the driver does not know it.
template <class Function>
[[nodiscard]] Function driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw Error(
        ErrorKind::resource, text("the driver has no ", name),
        text("take a driver for CUDA 12 or newer, or a kernel that needs none (", command("kernels"), ")"));
  }
  return reinterpret_cast<Function>(entry);
}

/// Throws when a function of the driver did not do what it was asked. Error 69.
inline void check_driver(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  throw Error(ErrorKind::unavailable, text("CUDA driver error ", static_cast<int>(result)),
              text("check the driver, or run with ", option("device"), " cpu"));
}

/// Has a stream wait until a counter has come to a number (mod 2³²), where the driver can.
[[nodiscard]] inline bool wait_for_counter(cudaStream_t stream, const unsigned* counter, unsigned number) {
  static const auto wait = driver_function<decltype(&cuStreamWaitValue32)>("cuStreamWaitValue32");
  const CUresult result =
      wait(stream, reinterpret_cast<CUdeviceptr>(counter), number, CU_STREAM_WAIT_VALUE_GEQ);
  if (result == CUDA_ERROR_NOT_SUPPORTED) return false;
  check_driver(result);
  return true;
}

}  // namespace minimod

#endif
