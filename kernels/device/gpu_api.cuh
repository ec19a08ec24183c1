/// The API of the GPU that the program is built for: CUDA's, whose names the program speaks, or HIP, which
/// has the same under its own. All that differs between the two is here.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/code_shape.hpp"

#ifdef __HIP__

#include <hip/hip_runtime.h>

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
#define cudaEventDefault hipEventDefault
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventInterprocess hipEventInterprocess
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaGraphInstantiateFlagUseNodePriority 0  // streams alone have priorities
#define cudaIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaSuccess hipSuccess

// Words of kernels. Loads and stores go the caches' usual way.
#define __grid_constant__
template <class Value>
__device__ Value __ldca(const Value* global) {
  return *global;
}
template <class Value>
__device__ Value __ldcg(const Value* global) {
  return *global;
}
template <class Value>
__device__ void __stcg(Value* global, const Value& value) {
  *global = value;
}

namespace minimod::gpu_api {

inline constexpr const char *name = "HIP", *vendor = "AMD";
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
/// Shared memory that a block may ask for.
inline std::size_t most_shared_bytes(const hipDeviceProp_t& of) {
  return of.sharedMemPerBlock;
}

}  // namespace minimod::gpu_api

#else

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

namespace minimod::gpu_api {

inline constexpr const char *name = "CUDA", *vendor = "NVIDIA";
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
inline std::size_t most_shared_bytes(const cudaDeviceProp& of) {
  return of.sharedMemPerBlockOptin;
}

}  // namespace minimod::gpu_api

#endif
