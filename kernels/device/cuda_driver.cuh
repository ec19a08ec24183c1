/// Functions of CUDA's driver, found when the program runs: it needs no link with the driver.
#pragma once

#include <cuda.h>

#include "kernels/device/cuda_check.cuh"
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

}  // namespace minimod
