/// The API of the GPU that the program is built for: CUDA's, whose names the program speaks, or HIP, which
/// has the same under its own. All that differs between the two is here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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
#define cudaHostRegister hipHostRegister
#define cudaHostUnregister hipHostUnregister
#define cudaIpcCloseMemHandle hipIpcCloseMemHandle
#define cudaIpcEventHandle_t hipIpcEventHandle_t
#define cudaIpcGetEventHandle hipIpcGetEventHandle
#define cudaIpcGetMemHandle hipIpcGetMemHandle
#define cudaIpcMemHandle_t hipIpcMemHandle_t
#define cudaIpcOpenEventHandle hipIpcOpenEventHandle
#define cudaIpcOpenMemHandle hipIpcOpenMemHandle
#define cudaLaunchCooperativeKernel hipLaunchCooperativeKernel
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
#define cudaGraphInstantiateFlagUseNodePriority 0  // streams alone have priorities
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

// Kernels of the program and of code that was compiled at run time.
#ifdef MINIMOD_HIP

/// Either kind of kernel: HIP has functions of their own for what a module has.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const void* of_program) : of_program_(of_program) {}  // NOLINT: as CUDA's
  explicit Kernel(hipFunction_t of_module) : of_module_(of_module) {}

  friend hipError_t hipFuncGetAttributes(hipFuncAttributes* found, const Kernel& of) {
    if (of.of_module_ == nullptr) return ::hipFuncGetAttributes(found, of.of_program_);
    int shared_bytes = 0, local_bytes = 0;
    hipError_t result = hipFuncGetAttribute(&found->numRegs, HIP_FUNC_ATTRIBUTE_NUM_REGS, of.of_module_);
    if (result == hipSuccess)
      result = hipFuncGetAttribute(&shared_bytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, of.of_module_);
    if (result == hipSuccess)
      result = hipFuncGetAttribute(&local_bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, of.of_module_);
    found->sharedSizeBytes = shared_bytes;
    found->localSizeBytes = local_bytes;
    return result;
  }
  friend hipError_t hipFuncSetAttribute(const Kernel& of, hipFuncAttribute attribute, int value) {
    if (of.of_module_ == nullptr) return ::hipFuncSetAttribute(of.of_program_, attribute, value);
#ifdef __HIP_PLATFORM_NVIDIA__
    return allow_shared_bytes(of.of_module_, value);
#else
    return hipSuccess;  // a block has what there is without a word
#endif
  }
  friend hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const Kernel& of, int threads,
                                                                 std::size_t bytes) {
    if (of.of_module_ == nullptr)
      return ::hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, of.of_program_, threads, bytes);
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, of.of_module_, threads, bytes);
  }
  friend hipError_t hipLaunchKernel(const Kernel& of, dim3 blocks, dim3 threads, void** args,
                                    std::size_t bytes, hipStream_t stream) {
    if (of.of_module_ == nullptr)
      return ::hipLaunchKernel(of.of_program_, blocks, threads, args, bytes, stream);
    return hipModuleLaunchKernel(of.of_module_, blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z,
                                 bytes, stream, args, nullptr);
  }
  /// Not of what was compiled at run time: ROCm 5 has no function for it, and only Hopper's is launched so.
  friend hipError_t hipLaunchCooperativeKernel(const Kernel& of, dim3 blocks, dim3 threads, void** args,
                                               std::size_t bytes, hipStream_t stream) {
    if (of.of_module_ != nullptr) return hipErrorNotSupported;
    return ::hipLaunchCooperativeKernel(of.of_program_, blocks, threads, args, bytes, stream);
  }

 private:
  const void* of_program_ = nullptr;
  hipFunction_t of_module_ = nullptr;
};

/// Whether a kernel that was loaded is the present GPU's alone.
inline constexpr bool loads_for_one_gpu = true;
/// Whether code that was compiled at run time can be loaded.
inline constexpr bool loads_code = true;
/// The one kernel of a code, for the rest of the process.
inline hipError_t load(Kernel& kernel, const std::string& code) {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  hipError_t result = hipModuleLoadData(&module, code.data());
#ifdef __HIP_PLATFORM_NVIDIA__
  if (result == hipSuccess) result = first_function(&function, module);
#else  // a code has a kernel's name, and with .kd behind it its descriptor's (LLVM's guide of AMDGPU)
  const std::size_t end = code.find(std::string_view(".kd\0", 4));
  if (end == std::string::npos) return hipErrorInvalidImage;
  const std::size_t begin = code.rfind('\0', end) + 1;
  const std::string name = code.substr(begin, end - begin);
  if (result == hipSuccess) result = hipModuleGetFunction(&function, module, name.c_str());
#endif
  kernel = Kernel(function);
  return result;
}

#else

using Kernel = const void*;
inline constexpr bool loads_for_one_gpu = false;
#if CUDART_VERSION >= 12080
inline constexpr bool loads_code = true;
inline cudaError_t load(Kernel& kernel, const std::string& code) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t found = nullptr;
  cudaError_t result = cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == cudaSuccess) result = cudaLibraryEnumerateKernels(&found, 1, library);
  kernel = found;
  return result;
}
#else
inline constexpr bool loads_code = false;
inline cudaError_t load(Kernel&, const std::string&) {
  return cudaErrorInvalidValue;
}
#endif

#endif

/// Work of a multiprocessor in a clock.
struct PerClock {
  int fp32_lanes, fp64_lanes;  ///< units, of a multiply-add each
  int l1_bytes, shared_bytes;  ///< from L1 and from shared memory
};

// Facts of the vendor's GPUs.
#ifdef __HIP__

inline constexpr bool is_amd = true;
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
/// CDNA 2's, as ROCm's profiler takes them for its peaks (Omniperf, gfx90a, "System Speed-of-Light"); of no
/// other GPU.
inline PerClock per_clock(int, int) {
  return {64, 64, 64, 128};
}
/// Number of the multiprocessor that a thread runs on; there may be gaps.
inline __device__ unsigned multiprocessor() {
  return __smid();
}

#else

inline constexpr bool is_amd = false;
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
/// By the compute capability: CUDA's programming guide (throughput of arithmetic instructions).
inline PerClock per_clock(int major, int minor) {
  const int fp64_lanes = minor != 0 || major == 12 ? 2 : major == 8 ? 32 : 64;
  return {major == 7 || (major == 8 && minor == 0) ? 64 : 128, fp64_lanes, 128, 128};
}
inline __device__ unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

#endif

}  // namespace minimod::gpu_api
