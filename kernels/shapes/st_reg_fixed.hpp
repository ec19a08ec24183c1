/// Family `st_reg_fixed`: 2.5-D streaming along z. A 2-D block marches down the box; the current plane with
/// its halo is staged in shared memory, and each thread holds its z column in 2R+1 registers that stay in
/// place: the loop is unrolled 2R+1 times, and the register of a plane is known at compile time. A point
/// costs one load of u, its share of the halo, 4R shared reads and two barriers; (Dx+2R)(Dy+2R) values of
/// shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.7.
///
/// Family `st_reg_fixed_db`: the same with two shared planes. While a plane is computed, the next one, tile
/// and halo, arrives by asynchronous copies that take no registers: two loads of u a point instead of one
/// (the second from L1 or L2, where the column's load left it), but one barrier instead of two, and no thread
/// waits for the halo. 2 (Dx+2R)(Dy+2R) values of shared memory.
#pragma once

#include "kernels/shapes/st_reg.hpp"

namespace minimod {

template <class Update, int Dx, int Dy>
struct StRegFixed : StReg<Update, Dx, Dy, FixedColumn, OnePlane> {
  static constexpr const char* family = "st_reg_fixed";
  static constexpr const char* summary =
      "2.5-D streaming, one plane in shared memory, z column in fixed registers";
  static constexpr Extent3 default_tile{32, 32, 0};  // fastest of the family on a V100 (Table II)
};

template <class Update, int Dx, int Dy>
struct StRegFixedDb : StReg<Update, Dx, Dy, FixedColumn, TwoPlanes> {
  static constexpr const char* family = "st_reg_fixed_db";
  static constexpr const char* summary =
      "2.5-D streaming, two shared planes filled asynchronously, z column in fixed registers";
  static constexpr Extent3 default_tile{32, 32, 0};
};

}  // namespace minimod
