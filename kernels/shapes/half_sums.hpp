/// The two halves of a second difference, as the semi-stencil shapes sum them: `line(m)` gives u at m points
/// ahead.
#pragma once

#include "kernels/stencil.hpp"

namespace minimod {

/// The backward half, what the points ahead give to the point itself: Σ c_m u(m), m = 1 … R.
template <class Real, int R, class Line>
MINIMOD_HD inline Real half_of_points_ahead(const Real (&ring)[R], const Line& line) {
  Real sum = 0;
#pragma unroll
  for (int m = 1; m <= R; ++m) sum = fused(ring[m - 1], line(m), sum);
  return sum;
}

/// The forward half, what the point and those ahead give to the point R ahead: Σ c_m u(R − m), m = 1 … R.
template <class Real, int R, class Line>
MINIMOD_HD inline Real half_for_point_ahead(const Real (&ring)[R], const Line& line) {
  Real sum = 0;
#pragma unroll
  for (int m = 1; m <= R; ++m) sum = fused(ring[m - 1], line(R - m), sum);
  return sum;
}

}  // namespace minimod
