/// Turns the error codes of a GPU's runtime into minimod::Error.
#pragma once

#include <source_location>

#include "kernels/device/gpu_api.cuh"

namespace minimod {

/// Throws when `status` is not cudaSuccess, and leaves no error behind for a later call to be blamed with.
/// Exit code 71 for memory that was refused, which left all else as it was; 69 for a failure, after which
/// the GPU answers nothing more.
void check(cudaError_t status, std::source_location where = std::source_location::current());

/// The same for a launch, or what prepares one: 71 also where the GPU cannot take this kernel.
void check_launch(cudaError_t status = cudaPeekAtLastError(),
                  std::source_location where = std::source_location::current());

}  // namespace minimod
