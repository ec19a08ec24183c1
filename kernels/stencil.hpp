/// The 25-point star: weights of the 8th-order second difference and its evaluation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

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

/// The weights of ∇²ₕ on a grid: divided by h² of each axis (1/m²).
template <class Real, int Radius = stencil_radius>
struct StencilWeights {
  Real centre;
  Real x[Radius], y[Radius], z[Radius];
};

/// Rounds the weights of an axis, in the order of their distance m, to floats whose sum is a multiple of
/// `unit`. What that adds to the sum is spread so that Σ m² c_m, on which the speed of long waves depends,
/// keeps its value: first over the weights at 1 and 2, what their rounding leaves over those at 2 and 3, and
/// the last one, which has bits to spare, closes the sum exactly.
inline void round_with_sum(const double (&exact)[4], double unit, float (&rounded)[4]) {
  double sum = 0;
  for (const double weight : exact) sum += weight;
  const double total = unit * std::round(sum / unit), moved = total - sum;
  rounded[0] = static_cast<float>(exact[0] + moved * 4 / 3);
  const double first = rounded[0] - exact[0];
  const double third = (3 * first - 4 * moved) / 5, second = moved - first - third;
  rounded[1] = static_cast<float>(exact[1] + second);
  rounded[2] = static_cast<float>(exact[2] + third);
  rounded[3] = static_cast<float>(total - rounded[0] - rounded[1] - rounded[2]);
}

/// Rounded from double. In float they add up to zero exactly: else a field that is constant would change,
/// and phases would shift with every step.
template <class Real, int Radius = stencil_radius>
[[nodiscard]] StencilWeights<Real, Radius> make_stencil_weights(Point3 h) {
  using Difference = SecondDifference<Radius>;
  StencilWeights<Real, Radius> w;
  double centre = Difference::centre * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z));
  [[maybe_unused]] const float least = std::abs(static_cast<float>(centre));
  [[maybe_unused]] const double unit =
      (double{std::nextafter(least, std::numeric_limits<float>::infinity())} - least) / 2;
  const auto set_axis = [&](double spacing, Real(&ring)[Radius]) {
    double exact[Radius];
    for (int m = 0; m < Radius; ++m) exact[m] = Difference::ring[m] / (spacing * spacing);
    if constexpr (std::is_same_v<Real, float>) {
      round_with_sum(exact, unit, ring);
    } else {
      std::copy_n(exact, Radius, ring);
    }
  };
  set_axis(h.x, w.x);
  set_axis(h.y, w.y);
  set_axis(h.z, w.z);
  centre = 0;
  for (const auto* ring : {&w.x, &w.y, &w.z}) {
    for (const Real weight : *ring) centre -= 2 * double{weight};
  }
  w.centre = static_cast<Real>(centre);
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
/// where they come from (global memory, a shared tile, registers) is what the code shapes differ in. One sum
/// whose greatest terms come last, so that it rounds little: the outer rings of one axis after the other,
/// which need not hold the values of all axes at once, then the nearest points of all, the centre at the end.
template <class Real, int Radius, class Star>
MINIMOD_HD inline StarValues<Real> evaluate(const StencilWeights<Real, Radius>& w, const Star& star) {
  const Real u = star.x(0);
  Real sum = 0;
#pragma unroll
  for (int m = Radius; m >= 2; --m) sum = fused(w.y[m - 1], star.y(m) + star.y(-m), sum);
#pragma unroll
  for (int m = Radius; m >= 2; --m) sum = fused(w.x[m - 1], star.x(m) + star.x(-m), sum);
#pragma unroll
  for (int m = Radius; m >= 2; --m) sum = fused(w.z[m - 1], star.z(m) + star.z(-m), sum);
  sum = fused(w.y[0], star.y(1) + star.y(-1), sum);
  sum = fused(w.x[0], star.x(1) + star.x(-1), sum);
  sum = fused(w.z[0], star.z(1) + star.z(-1), sum);
  return {u, fused(w.centre, u, sum), star.x(1) - star.x(-1), star.y(1) - star.y(-1), star.z(1) - star.z(-1)};
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
