/// Asynchronous copies into shared memory under the names of the toolkit's cuda_pipeline_primitives.h, for a
/// compiler that has no toolkit beside it (nvrtc): PTX's cp.async from sm_80 on, plain copies before.
#pragma once

template <class Value>
__device__ inline void __pipeline_memcpy_async(Value* shared, const Value* global, unsigned long) {
#if __CUDA_ARCH__ >= 800
  constexpr int bytes = sizeof(Value);
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "what cp.async takes");
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {  // past the L1
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes) : "memory");
  }
#else
  *shared = *global;
#endif
}

__device__ inline void __pipeline_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

#if __CUDA_ARCH__ >= 800
#define __pipeline_wait_prior(pending) asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory")
#else
#define __pipeline_wait_prior(pending) static_cast<void>(pending)
#endif
