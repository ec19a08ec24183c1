/// The API of the GPU that the program is built for: CUDA's, whose names the program speaks, or HIP, which
/// has the same under its own. All that differs between the two is here.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/code_shape.hpp"

#ifdef MINIMOD_HIP

#ifdef __HIP_PLATFORM_NVIDIA__
#include "kernels/device/hip_on_cuda.cuh"
#else
#include "kernels/device/hip_words.cuh"
#endif

// Types and functions.
#define cudaDeviceAttr hipDeviceAttribute_t
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceReset hipDeviceReset
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaError_t hipError_t
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaFuncAttributes hipFuncAttributes
#define cudaFuncGetAttributes hipFuncGetAttributes
#define cudaFuncSetAttribute hipFuncSetAttribute
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cudaGraphLaunch hipGraphLaunch
#define cudaGraph_t hipGraph_t
#define cudaIpcCloseMemHandle hipIpcCloseMemHandle
#define cudaIpcEventHandle_t hipIpcEventHandle_t
#define cudaIpcGetEventHandle hipIpcGetEventHandle
#define cudaIpcGetMemHandle hipIpcGetMemHandle
#define cudaIpcMemHandle_t hipIpcMemHandle_t
#define cudaIpcOpenEventHandle hipIpcOpenEventHandle
#define cudaIpcOpenMemHandle hipIpcOpenMemHandle
#define cudaLaunchKernel hipLaunchKernel
#define cudaMalloc hipMalloc
#define cudaMallocHost hipHostMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyKind hipMemcpyKind
#define cudaMemsetAsync hipMemsetAsync
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaPeekAtLastError hipPeekAtLastError
#define cudaProfilerStart hipProfilerStart
#define cudaProfilerStop hipProfilerStop
#define cudaRuntimeGetVersion hipRuntimeGetVersion
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCreateWithPriority hipStreamCreateWithPriority
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent(stream, event) hipStreamWaitEvent(stream, event, 0)
#define cudaStream_t hipStream_t

// Values.
#define cudaDevAttrClockRate hipDeviceAttributeClockRate
#define cudaDevAttrComputeCapabilityMajor hipDeviceAttributeComputeCapabilityMajor
#define cudaDevAttrComputeCapabilityMinor hipDeviceAttributeComputeCapabilityMinor
#define cudaDevAttrGlobalMemoryBusWidth hipDeviceAttributeMemoryBusWidth
#define cudaDevAttrMaxGridDimX hipDeviceAttributeMaxGridDimX
#define cudaDevAttrMaxGridDimY hipDeviceAttributeMaxGridDimY
#define cudaDevAttrMaxGridDimZ hipDeviceAttributeMaxGridDimZ
#define cudaDevAttrMaxThreadsPerMultiProcessor hipDeviceAttributeMaxThreadsPerMultiProcessor
#define cudaDevAttrMemoryClockRate hipDeviceAttributeMemoryClockRate
#define cudaDevAttrMultiProcessorCount hipDeviceAttributeMultiprocessorCount
#define cudaErrorCooperativeLaunchTooLarge hipErrorCooperativeLaunchTooLarge
#define cudaErrorInsufficientDriver hipErrorInsufficientDriver
#define cudaErrorInvalidConfiguration hipErrorInvalidConfiguration
#define cudaErrorInvalidDeviceFunction hipErrorInvalidDeviceFunction
#define cudaErrorInvalidPtx hipErrorInvalidKernelFile
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaErrorLaunchOutOfResources hipErrorLaunchOutOfResources
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNoDevice hipErrorNoDevice
#define cudaErrorNoKernelImageForDevice hipErrorNoBinaryForGpu
#define cudaErrorNotReady hipErrorNotReady
#define cudaErrorUnsupportedPtxVersion hipErrorInvalidImage
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaGraphInstantiateFlagUseNodePriority 0  // streams alone have priorities
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaSuccess hipSuccess

#ifndef __HIP_PLATFORM_NVIDIA__  // HIP has these from CUDA
#define cudaEventDefault hipEventDefault
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventInterprocess hipEventInterprocess
#define cudaIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define cudaStreamNonBlocking hipStreamNonBlocking
#endif

#else

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#endif

namespace minimod::gpu_api {

#ifdef MINIMOD_HIP
inline constexpr const char* name = "HIP";
#else
inline constexpr const char* name = "CUDA";
#endif

// Facts of the vendor's GPUs.
#ifdef __HIP__

inline constexpr const char* vendor = "AMD";
inline std::string version_text(int version) {
  return std::to_string(version / 10'000'000) + '.' + std::to_string(version / 100'000 % 100);
}
/// Name of the machine code that a GPU runs.
inline std::string code_name(const hipDeviceProp_t& of) {
  return of.gcnArchName;
}
inline std::string gpu_name(const hipDeviceProp_t& of) {
  return std::string(of.name) + " (" + of.gcnArchName + ')';
}
/// Compute capability, which AMD's GPUs have none of: the numbers that HIP gives mean other GPUs.
inline ComputeCapability capability(const hipDeviceProp_t&) {
  return {};
}
/// Shared memory that a block of the present GPU may ask for.
inline std::size_t most_shared_bytes(const hipDeviceProp_t& of) {
  return of.sharedMemPerBlock;
}

#else

inline constexpr const char* vendor = "NVIDIA";
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}
inline std::string code_name(const cudaDeviceProp& of) {
  return "sm_" + std::to_string(of.major) + std::to_string(of.minor);
}
inline std::string gpu_name(const cudaDeviceProp& of) {
  return of.name;
}
inline ComputeCapability capability(const cudaDeviceProp& of) {
  return {of.major, of.minor};
}
inline std::size_t most_shared_bytes([[maybe_unused]] const cudaDeviceProp& of) {
#ifdef MINIMOD_HIP
  return most_shared_bytes_by_cuda();
#else
  return of.sharedMemPerBlockOptin;
#endif
}

#endif

}  // namespace minimod::gpu_api
