/// The 25-point star: weights of the 8th-order second difference and its evaluation.
#pragma once

#include <cmath>

#include "kernels/grid.hpp"

namespace minimod {

/// Weights of the second difference of order 2R along one axis (times h²): `centre` at the point, `ring[m -
/// 1]` at the two points m away.
template <int Radius>
struct SecondDifference;

template <>
struct SecondDifference<4> {
  static constexpr double centre = -205.0 / 72.0;
  static constexpr double ring[4] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
};

/// The weights of ∇²ₕ on a grid: divided by h² of each axis (1/m²), rounded once from double.
template <class Real, int Radius = stencil_radius>
struct StencilWeights {
  Real centre;
  Real x[Radius], y[Radius], z[Radius];
};

template <class Real, int Radius = stencil_radius>
[[nodiscard]] StencilWeights<Real, Radius> make_stencil_weights(Point3 h) {
  using Weights = SecondDifference<Radius>;
  StencilWeights<Real, Radius> w;
  w.centre = static_cast<Real>(Weights::centre * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z)));
  for (int m = 0; m < Radius; ++m) {
    w.x[m] = static_cast<Real>(Weights::ring[m] / (h.x * h.x));
    w.y[m] = static_cast<Real>(Weights::ring[m] / (h.y * h.y));
    w.z[m] = static_cast<Real>(Weights::ring[m] / (h.z * h.z));
  }
  return w;
}

/// a b + c, rounded once. All compilers are told not to contract on their own, and host and GPU take
/// denormals for zero, so that every shape gives the same bits on every device.
template <class Real>
MINIMOD_HD inline Real fused(Real a, Real b, Real c) {
  return std::fma(a, b, c);
}

/// What a point update needs to know of u around its point.
template <class Real>
struct StarValues {
  Real u;           ///< at the point
  Real laplacian;   ///< ∇²ₕu
  Real dx, dy, dz;  ///< u₊ − u₋ between the two direct neighbours along each axis
};

/// Evaluates the star. `star.x(m)`, `star.y(m)`, `star.z(m)` give u at m points along an axis, m = −R … R;
/// where they come from (global memory, a shared tile, registers) is what the code shapes differ in.
template <class Real, int Radius, class Star>
MINIMOD_HD inline StarValues<Real> evaluate(const StencilWeights<Real, Radius>& w, const Star& star) {
  const Real u = star.x(0);
  Real x = 0, y = 0, z = 0;
#pragma unroll
  for (int m = 1; m <= Radius; ++m) {
    x = fused(w.x[m - 1], star.x(m) + star.x(-m), x);
    y = fused(w.y[m - 1], star.y(m) + star.y(-m), y);
    z = fused(w.z[m - 1], star.z(m) + star.z(-m), z);
  }
  return {u, fused(w.centre, u, (x + y) + z), star.x(1) - star.x(-1), star.y(1) - star.y(-1),
          star.z(1) - star.z(-1)};
}

/// A star read straight from a field in memory.
template <class Real>
struct MemoryStar {
  const Real* centre;
  std::int64_t stride_y, stride_z;
  MINIMOD_HD Real x(int m) const { return centre[m]; }
  MINIMOD_HD Real y(int m) const { return centre[m * stride_y]; }
  MINIMOD_HD Real z(int m) const { return centre[m * stride_z]; }
};

}  // namespace minimod
