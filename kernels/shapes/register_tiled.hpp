/// Family `register_tiled` of specifications: 2.5-D streaming along z, TX x TY threads of PX x PY points
/// each, which is block size different from block dimension as Zhang and Mueller (CGO 2012) have it. Columns
/// in registers and a shared plane (`st_reg_shft`), or, where corners off the plane are read, which stand in
/// no column, all planes shared (`st_smem`).
#pragma once

#include "kernels/shapes/st_reg.hpp"
#include "kernels/shapes/st_smem.hpp"

namespace minimod {

template <class Equation, int TX, int TY, int PX, int PY>
using RegisterTiledBody =
    std::conditional_t<Equation::reads_corners_off_plane, SharedPlanes<Equation, TX * PX, TY * PY, 0, PX, PY>,
                       StReg<Equation, Registers::shift, 1, TX * PX, TY * PY, PX, PY>>;

template <class Equation, int TX, int TY, int PX, int PY>
struct RegisterTiled : RegisterTiledBody<Equation, TX, TY, PX, PY> {
  static constexpr const char *family = "register_tiled", *header = "register_tiled.hpp";
  static constexpr Extent3 points_per_thread{PX, PY, 1};
  static constexpr Refusal refusal(const ShapeParameters& of, int) { return why_no_register_tiles(of); }
};

}  // namespace minimod
