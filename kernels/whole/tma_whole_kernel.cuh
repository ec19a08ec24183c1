/// The kernel of `tma_whole` and `tma_whole_step`, for the compilers of the build and of a running program.
#pragma once

#include "kernels/whole/sided_block.cuh"
#include "kernels/whole/tma_whole_pass.hpp"
#include "kernels/whole/tma_whole_step.hpp"

namespace minimod {

template <class Shape, class Block>
__global__ void __launch_bounds__(Shape::threads.x, 1)
    tma_whole(const __grid_constant__ WholeArgs<Shape, Block> given) {
  using Pass = WholePass<Shape, Block>;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& [shared, barriers, profiles] = *reinterpret_cast<typename Pass::Memory*>(memory);
  if (threadIdx.x == 0) {
    barriers.init();
    if constexpr (lies_in_chunks<Shape>) Block::take_number(given.pass);
  }
  Pass::take_profile_z(given, profiles);
  __syncthreads();
  if constexpr (lies_in_chunks<Shape>) {
    if (Block::index() < 0) return;  // a spare one
  }
  if (threadIdx.x < Pass::computing) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    Pass::compute(given, shared, barriers, profiles);
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    Pass::serve(given, shared, barriers);
  }
}

}  // namespace minimod
