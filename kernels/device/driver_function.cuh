/// Functions of CUDA's driver, found when the program runs: it needs no link with the driver, and starts
/// where there is none.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

/// A function of the driver as a version of CUDA has it, a number like CUDART_VERSION. `check`: throws where
/// the runtime cannot ask. Error 71 where the driver does not know it.
template <class Function, class Check>
[[nodiscard]] Function* driver_function(const char* name, int version, const Check& check) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
  if (entry == nullptr) {
    throw Error(ErrorKind::resource, text("the driver has no ", name),
                text("take a driver for CUDA ", version / 1000, '.', version % 1000 / 10,
                     " or newer, or another kernel (", command("kernels"), ")"));
  }
  return reinterpret_cast<Function*>(entry);
}

}  // namespace minimod
