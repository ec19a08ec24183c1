/// Words of CUDA's kernels that hipcc and hiprtc lack for GPUs of AMD, whose loads and stores go the caches'
/// usual way.
#pragma once

#ifndef __HIPCC_RTC__  // hiprtc has HIP's header of itself
#include <hip/hip_runtime.h>
#endif

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
