#include <algorithm>
#include <string>

#include "kernels/device/cuda_check.cuh"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

/// Errors of the runtime for a launch that does not fit the GPU or has no code for it. The context lives on.
constexpr cudaError_t refusals[] = {cudaErrorInvalidConfiguration,   cudaErrorInvalidValue,
                                    cudaErrorLaunchOutOfResources,   cudaErrorCooperativeLaunchTooLarge,
                                    cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction,
                                    cudaErrorUnsupportedPtxVersion,  cudaErrorInvalidPtx};

std::string description(cudaError_t status, std::source_location where) {
  return text(gpu_api::name, ": ", cudaGetErrorString(status), " (", cudaGetErrorName(status), ") in ",
              where.function_name());
}

}  // namespace

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // the runtime keeps it for the next launch that asks
  if (status == cudaErrorMemoryAllocation) {
    throw Error(ErrorKind::resource, "the GPU has not enough free memory for this run",
                "take a smaller " + option("grid"));
  }
  throw Error(ErrorKind::unavailable, description(status, where),
              text("check the driver, or run with ", option("device"), " cpu"));
}

void check_launch(cudaError_t status, std::source_location where) {
  if (std::ranges::find(refusals, status) == std::end(refusals)) return check(status, where);
  cudaGetLastError();
  throw Error(ErrorKind::resource, description(status, where),
              text("take another ", option("kernel"), " (", command("kernels"), ")"));
}

}  // namespace minimod
