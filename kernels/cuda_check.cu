#include <algorithm>

#include "kernels/cuda_check.cuh"
#include "src/base/error.hpp"

namespace minimod {

namespace {

/// What the runtime answers to a launch that does not fit the GPU or has no code for it. The context lives
/// on.
constexpr cudaError_t refusals[] = {cudaErrorInvalidConfiguration,   cudaErrorInvalidValue,
                                    cudaErrorLaunchOutOfResources,   cudaErrorCooperativeLaunchTooLarge,
                                    cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction,
                                    cudaErrorUnsupportedPtxVersion,  cudaErrorInvalidPtx};

}  // namespace

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // the runtime keeps it for the next launch that asks
  if (status == cudaErrorMemoryAllocation) {
    throw Error(ExitCode::resource, "the GPU has not enough free memory for this run",
                "take a smaller --grid");
  }
  const std::string what = text("CUDA: ", cudaGetErrorString(status), " (", cudaGetErrorName(status), ") in ",
                                where.function_name());
  if (std::ranges::find(refusals, status) != std::end(refusals)) {
    throw Error(ExitCode::resource, what, "take another --kernel (minimod kernels)");
  }
  throw Error(ExitCode::unavailable, what, "check the driver, or run with --device cpu");
}

}  // namespace minimod
