/// Turns the error codes of the CUDA runtime into minimod::Error.
#pragma once

#include <source_location>

#include <cuda_runtime.h>

namespace minimod {

/// Throws when `status` is not cudaSuccess: exit code 71 for memory, 69 for everything else.
void check(cudaError_t status, std::source_location where = std::source_location::current());

}  // namespace minimod
