#include "kernels/cuda_check.cuh"
#include "src/base/error.hpp"

namespace minimod {

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorMemoryAllocation) {
    throw Error(ExitCode::resource, "the GPU has not enough free memory for this run",
                "take a smaller --grid");
  }
  throw Error(ExitCode::unavailable,
              text("CUDA: ", cudaGetErrorString(status), " (", cudaGetErrorName(status), ") in ",
                   where.function_name()),
              "check the driver, or run with --device cpu");
}

}  // namespace minimod
