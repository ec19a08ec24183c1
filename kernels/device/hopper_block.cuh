/// Operations of a persistent launch on Hopper on its threads, its copy engine and the L2. The same by name
/// is EmulatedBlock on the host (emulated_block.hpp).
#pragma once

#include "kernels/device/tma.cuh"

namespace minimod {

struct HopperBlock {
  using Barrier = SharedBarrier;
  using Map = TileMap;

  [[nodiscard]] static __device__ int index() { return static_cast<int>(blockIdx.x); }
  [[nodiscard]] static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  /// The same, read anew, so that nothing made of it is kept in registers.
  [[nodiscard]] static __device__ int thread_anew() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
  }
  static __device__ void sync_warp() { __syncwarp(); }
  [[nodiscard]] static __device__ bool any_of_warp(bool mine) { return __any_sync(~0U, mine) != 0; }
  /// A bit each lane.
  [[nodiscard]] static __device__ unsigned bits_of_warp(bool mine) { return __ballot_sync(~0U, mine); }
  /// Barrier of a group of the block's threads, which has the number, from 1 on, for itself.
  template <int Number, int Threads>
  static __device__ void sync_group() {
    asm volatile("bar.sync %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
  }

  static __device__ float reciprocal(float value) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
  }
  /// Through the L2, where `wanted` is not zero; unchanged where it is. Predicated, as a branch costs more.
  /// These three touch what no other code of the thread does but for stores of what comes of the values
  /// loaded, and say nothing of memory, which would keep the loads of rows behind each other.
  static __device__ void load_if(unsigned wanted, float (&to)[4], const float* from) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %4, 0;\n"
        " @p ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%5];\n}"
        : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
        : "r"(wanted), "l"(from));
  }
  static __device__ void store_if(unsigned wanted, float* to, const float (&from)[4]) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u32 p, %0, 0;\n"
        " @p st.global.v4.f32 [%1], {%2, %3, %4, %5};\n}" ::"r"(wanted),
        "l"(to), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]));
  }
  /// Brings the line into the L2.
  static __device__ void prefetch_if(unsigned wanted, const float* from) {
    asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %0, 0;\n @p prefetch.global.L2 [%1];\n}" ::"r"(wanted),
                 "l"(from));
  }
  static __device__ void add_in_l2(float* to, const float (&what)[4]) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(what[0]),
                 "f"(what[1]), "f"(what[2]), "f"(what[3]));
  }

  /// Starts the copy of values side by side, which arrives at `full`.
  static __device__ void copy_piece(void* to, const float* from, int bytes, Barrier& full) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes), "r"(full.address())
        : "memory");
  }
  static __device__ void prefetch_piece(const float* from, int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
  }
  /// Starts the copies of two vectors and arrives at `full` when they are there.
  static __device__ void copy_beside(Vector4<float>& left, const float* from_left, Vector4<float>& right,
                                     const float* from_right, Barrier& full) {
    copy_vector(left, from_left);
    copy_vector(right, from_right);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(full.address()) : "memory");
  }

  /// Counts up a counter that all blocks know.
  static __device__ void count(unsigned* counter) {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
  }
  [[nodiscard]] static __device__ unsigned look_at(const unsigned* counter) {
    unsigned value = 0;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
  }
  /// Who sees the number sees what was stored before it was announced.
  static __device__ void announce(unsigned* progress, unsigned number) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(progress), "r"(number) : "memory");
  }
  [[nodiscard]] static __device__ unsigned announced(const unsigned* progress) {
    unsigned value = 0;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(progress) : "memory");
    return value;
  }
  /// Who sees the count from outside the launch sees what was stored before it.
  static __device__ void count_for_others(unsigned* counter) {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    asm volatile("red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
  }
  /// Lets the copy engine see what the thread sees.
  static __device__ void show_to_copies() { asm volatile("fence.proxy.async;" ::: "memory"); }

 private:
  static __device__ void copy_vector(Vector4<float>& to, const float* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(&to))),
                 "l"(from)
                 : "memory");
  }
};

}  // namespace minimod
