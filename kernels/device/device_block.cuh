/// The surroundings of a shape on the device: one generic kernel that declares the shared memory and calls
/// the shape.
#pragma once

#include <cstring>
#include <type_traits>

#ifdef __HIP__
#include "kernels/device/hip_words.cuh"
#endif
#include "kernels/grid.hpp"

namespace minimod {

/// The `Block` of the device.
struct DeviceBlock {
  [[nodiscard]] __device__ Index3 thread() const {
    return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.z)};
  }
  [[nodiscard]] __device__ Index3 index() const {
    return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
  }
  __device__ void sync() const { __syncthreads(); }

  /// A value that no thread writes during the launch.
  template <class Value>
  [[nodiscard]] __device__ Value read_only(const Value* global) const {
    if constexpr (std::is_same_v<Value, float> || std::is_same_v<Value, double>) {
      return __ldg(global);
    } else {
      return read_words<Value>(global, [](const auto* word) { return __ldg(word); });
    }
  }
  /// Values that stand side by side, at once.
  template <class Value>
  [[nodiscard]] __device__ Value read(const Value* global) const {
    if constexpr (sizeof(Value) <= sizeof(float)) {
      return *global;
    } else {
      return read_words<Value>(global, [](const auto* word) { return __ldca(word); });
    }
  }

  /// Has the sector of 32 B around a value brought into the L2, by CUDA alone.
  __device__ void prefetch([[maybe_unused]] const void* global) const {
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(global)));
#endif
  }

  /// PTX's cp.async on sm_80 and later, plain copies before.
  template <class Value>
  __device__ void copy_async(Value* shared, const Value* global) const {
#if __CUDA_ARCH__ >= 800
    constexpr int bytes = sizeof(Value);
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
  __device__ void commit() const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  template <int Pending>
  __device__ void wait() const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
  }

 private:
  /// By words of 16 bytes, or less of what is less.
  template <class Value, class Read>
  static __device__ Value read_words(const Value* global, const Read& read) {
    using Word = std::conditional_t<sizeof(Value) % sizeof(int4) == 0, int4,
                                    std::conditional_t<sizeof(Value) % sizeof(int2) == 0, int2, int>>;
    constexpr int words = sizeof(Value) / sizeof(Word);
    Word word[words];
    for (int i = 0; i < words; ++i) word[i] = read(reinterpret_cast<const Word*>(global) + i);
    Value value;
    memcpy(&value, word, sizeof value);
    return value;
  }
};

/// Shared memory that a kernel may declare; beyond, the launch must ask for it.
inline constexpr std::size_t static_shared_limit = 48 * 1024;

/// Shared memory that a launch of the shape asks for beside its kernel's declared one.
template <class Shape>
inline constexpr std::size_t dynamic_shared_bytes = sizeof(typename Shape::Shared) > static_shared_limit
                                                        ? sizeof(typename Shape::Shared)
                                                        : 0;

/// The second of a kernel's bounds: blocks of a multiprocessor to CUDA; waves of each of its four SIMDs to
/// HIP on CDNA, whose registers they bound in the same way; elsewhere none.
template <class Shape>
inline constexpr int least_resident =
#ifndef __HIP__
    Shape::blocks_per_multiprocessor;
#elif defined(__GFX9__)  // waves of 64 threads
    static_cast<int>(Shape::blocks_per_multiprocessor* Shape::threads.points() / (4 * 64));
#else
    0;
#endif

template <class Shape, class Args>
__global__ void __launch_bounds__(Shape::threads.points(), least_resident<Shape>)
    code_shape(const __grid_constant__ Args args) {
  if constexpr (dynamic_shared_bytes < Shape >> 0) {
    extern __shared__ __align__(128) unsigned char memory[];
    Shape{}(DeviceBlock{}, args, *reinterpret_cast<typename Shape::Shared*>(memory));
  } else {
    __shared__ typename Shape::Shared shared;
    Shape{}(DeviceBlock{}, args, shared);
  }
}

}  // namespace minimod
