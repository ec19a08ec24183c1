/// Family `st_reg_fixed`: 2.5-D streaming along z. A 2-D block marches down the box; the current plane with
/// its halo is staged in shared memory, and each thread holds its z column in 2R+1 registers that stay in
/// place: the loop is unrolled 2R+1 times, and the register of a plane is known at compile time. A point
/// costs one load of u, its share of the halo, 4R shared reads and two barriers; (Dx+2R)(Dy+2R) values of
/// shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.7.
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

}  // namespace minimod
