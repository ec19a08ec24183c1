/// Common parts of the tutorial's four kernels: the equation of seven_point.stencil, and its two arrays.
#pragma once

#include "kernels/equations/arrays.hpp"

namespace minimod::tutorial {

using stencil::ArrayArgs;

/// The equation, from the point and its neighbours.
MINIMOD_HD inline float seven_point(float here, float west, float east, float north, float south, float above,
                                    float below) {
  return 0.4F * here + 0.06F * west + 0.14F * east + 0.08F * north + 0.12F * south + 0.09F * above +
         0.11F * below;
}

/// u at a point of the grid or around it.
MINIMOD_HD inline const float& u_of(const ArrayArgs& args, int x, int y, int z) {
  return static_cast<const float*>(args.arrays[0])[args.layout.index(x, y, z)];
}

/// v at a point of the grid.
MINIMOD_HD inline float& v_of(const ArrayArgs& args, int x, int y, int z) {
  return static_cast<float*>(args.arrays[1])[args.layout.index(x, y, z)];
}

}  // namespace minimod::tutorial
