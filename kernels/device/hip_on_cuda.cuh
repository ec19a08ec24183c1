/// HIP's headers for GPUs of NVIDIA, which call CUDA. Theirs of HIP 5.2 and 6.0 name what CUDA 12 and 13 no
/// longer have; nothing here calls it, so that a declaration will do.
#pragma once

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include "src/base/error.hpp"

#if CUDART_VERSION >= 12000  // references to textures
template <class, int, cudaTextureReadMode>
struct texture;
template <class... Any>
cudaError_t cudaBindTexture(Any...);
template <class... Any>
cudaError_t cudaBindTexture2D(Any...);
template <class... Any>
cudaError_t cudaBindTextureToArray(Any...);
template <class... Any>
cudaError_t cudaGetTextureAlignmentOffset(Any...);
template <class... Any>
cudaError_t cudaUnbindTexture(Any...);
#endif

#if CUDART_VERSION >= 13000  // properties that are attributes alone, and functions with other parameters
struct CudaDevicePropOf12 : cudaDeviceProp {
  int clockRate, computeMode, cooperativeMultiDeviceLaunch, deviceOverlap, kernelExecTimeoutEnabled,
      maxTexture1DLinear, memoryClockRate, singleToDoublePrecisionPerfRatio;
};
#define cudaDeviceProp CudaDevicePropOf12
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrReserved96
template <class... Any>
CUresult cuCtxCreate_v4(Any...);
template <class... Any>
CUresult cuStreamGetCaptureInfo_v2(Any...);
template <class... Any>
cudaError_t cudaGraphAddDependencies(Any...);
template <class... Any>
cudaError_t cudaGraphGetEdges(Any...);
template <class... Any>
cudaError_t cudaGraphNodeGetDependencies(Any...);
template <class... Any>
cudaError_t cudaGraphNodeGetDependentNodes(Any...);
template <class... Any>
cudaError_t cudaGraphRemoveDependencies(Any...);
template <class... Any>
cudaError_t cudaLaunchCooperativeKernelMultiDevice(Any...);
template <class... Any>
cudaError_t cudaMemAdvise(Any...);
template <class... Any>
cudaError_t cudaMemPrefetchAsync(Any...);
template <class... Any>
cudaError_t cudaStreamGetCaptureInfo_v2(Any...);
template <class... Any>
cudaError_t cudaStreamUpdateCaptureDependencies(Any...);
#endif

namespace minimod::gpu_api {

/// A function of the driver as this CUDA has it. It needs no link with the driver, so that the program starts
/// where there is none. Error 71 where the driver does not know it.
template <class Function>
Function* of_driver(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion(name, &entry, CUDART_VERSION, cudaEnableDefault, &found);
  if (entry == nullptr) {
    throw Error(ErrorKind::resource, text("the driver has no ", name),
                text("take a driver for CUDA ", CUDART_VERSION / 1000, '.', CUDART_VERSION % 1000 / 10,
                     " or newer, or a kernel that is built in"));
  }
  return reinterpret_cast<Function*>(entry);
}

}  // namespace minimod::gpu_api

#define MINIMOD_OF_DRIVER(function)                                                        \
  ([] {                                                                                    \
    static auto* const found = minimod::gpu_api::of_driver<decltype(function)>(#function); \
    return found;                                                                          \
  }())
#define cuFuncGetAttribute MINIMOD_OF_DRIVER(cuFuncGetAttribute)
#define cuFuncSetAttribute MINIMOD_OF_DRIVER(cuFuncSetAttribute)
#define cuLaunchKernel MINIMOD_OF_DRIVER(cuLaunchKernel)
#define cuModuleEnumerateFunctions MINIMOD_OF_DRIVER(cuModuleEnumerateFunctions)
#define cuModuleLoadData MINIMOD_OF_DRIVER(cuModuleLoadData)
#define cuOccupancyMaxActiveBlocksPerMultiprocessor \
  MINIMOD_OF_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)

#include <hip/hip_runtime.h>

#undef cudaDeviceProp

namespace minimod::gpu_api {

/// Shared memory that a block of the present GPU may ask for, which HIP 5.2 does not tell.
inline std::size_t most_shared_bytes_by_cuda() {
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return static_cast<std::size_t>(bytes);
}

/// A function of a module, whichever name it has, which HIP cannot ask for.
inline hipError_t first_function(hipFunction_t* function, hipModule_t of) {
  return hipCUResultTohipError(cuModuleEnumerateFunctions(function, 1, of));
}

/// Lets a kernel of a module have so much, which HIP asks for kernels of the program alone.
inline hipError_t allow_shared_bytes(hipFunction_t kernel, int bytes) {
  return hipCUResultTohipError(
      cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
}

}  // namespace minimod::gpu_api
