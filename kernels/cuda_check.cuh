/// Turns the error codes of the CUDA runtime into minimod::Error.
#pragma once

#include <source_location>

#include <cuda_runtime.h>

namespace minimod {

/// Throws when `status` is not cudaSuccess, and leaves no error behind for a later call to be blamed with.
/// Exit code 71 for what was refused and left all else as it was: memory, and launches that the GPU cannot
/// take; 69 for a failure, after which the GPU answers nothing more.
void check(cudaError_t status, std::source_location where = std::source_location::current());

/// Throws for a launch that was refused.
inline void check_launch(std::source_location where = std::source_location::current()) {
  check(cudaPeekAtLastError(), where);
}

}  // namespace minimod
