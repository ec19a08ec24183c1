/// The free surface: u = 0 on the plane z = 0, and the field above it, in the halo, is the odd image of the
/// one below, so that the inner formula holds up to the surface.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// Makes the column over a point of the plane z = 0 odd. For the points z = 0 of a box.
template <class Real, class At = Layout>
struct OddImage {
  At layout;
  Real* u = nullptr;
  int radius = stencil_radius;  ///< planes that are mirrored
  MINIMOD_HD void operator()(Index3 p) const {
    u[layout.index(p.x, p.y, 0)] = 0;
    for (int m = 1; m <= radius; ++m) u[layout.index(p.x, p.y, -m)] = -u[layout.index(p.x, p.y, m)];
  }
};

}  // namespace minimod
