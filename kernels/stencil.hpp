/// The star of 6R + 1 points: weights of the second difference of order 2R and its evaluation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/grid.hpp"

namespace minimod {

/// Weights of the first and the second difference of order 2R along one axis (times h and h²) at the points m
/// to the right, in closed form: (−1)^(m+1) (R!)² / (m (R−m)! (R+m)!), and 2/m times that. Quotients of
/// integers that double holds exactly, so that each is rounded once.
struct DifferenceWeights {
  double centre = 0;  ///< weight of the second difference at the point: −2 Σ 1/m²
  double first[most_radius]{}, second[most_radius]{};
};
[[nodiscard]] constexpr DifferenceWeights taylor_weights(int radius) {
  const auto factorial = [](int n) {
    double product = 1;
    for (int i = 2; i <= n; ++i) product *= i;
    return product;
  };
  constexpr double common = 705600;  // common multiple of all m² up to 8²
  DifferenceWeights weights;
  double sum = 0;
  for (int m = 1; m <= radius; ++m) {
    const double above = (m % 2 == 1 ? 1 : -1) * factorial(radius) * factorial(radius);
    const double below = m * factorial(radius - m) * factorial(radius + m);
    weights.first[m - 1] = above / below;
    weights.second[m - 1] = 2 * above / (m * below);
    sum += common / (m * m);
  }
  weights.centre = -2 * sum / common;
  return weights;
}

/// Points per wavelength down to which waves along an axis keep their speed to 1e-5 by minimax_weights of a
/// radius (those of Taylor's of order 8 down to 8.75).
inline constexpr double minimax_points_per_wavelength[most_radius + 1] = {0,     0,     19.635, 7.757, 5.023,
                                                                          3.932, 3.379, 3.052,  2.841};

/// Weights for shorter waves: of all second differences of 2R + 1 points with Σ m² c_m = 1, by which long
/// waves keep their speed, those whose greatest relative error of k² down to these points is least (Holberg
/// 1987, Geophysical Prospecting 35(6), 629–655; Zhang & Yao 2013, Journal of Computational Physics 250,
/// 511–526).
[[nodiscard]] constexpr DifferenceWeights minimax_weights(int radius) {
  constexpr double from_second_on[most_radius + 1][most_radius - 1] = {
      {},
      {},
      {-0.084281365981},
      {-0.160221305097, 0.012873615726},
      {-0.229108876289, 0.034460667748, -0.003063428716},
      {-0.288274885905, 0.061109982892, -0.010710600695, 0.001055679667},
      {-0.335464824893, 0.088057414814, -0.022239209327, 0.004372030770, -0.000479630205},
      {-0.371523557978, 0.112129260275, -0.035447959054, 0.010040559384, -0.002184597096, 0.000265921017},
      {-0.398558513675, 0.132162026802, -0.048361607928, 0.017098172724, -0.005303920377, 0.001265295589,
       -0.000169578793}};
  DifferenceWeights weights = taylor_weights(radius);
  weights.second[0] = 1;
  for (int m = 2; m <= radius; ++m) {
    weights.second[m - 1] = from_second_on[radius][m - 2];
    weights.second[0] -= m * m * weights.second[m - 1];
  }
  weights.centre = 0;
  for (int m = 1; m <= radius; ++m) weights.centre -= 2 * weights.second[m - 1];
  return weights;
}

[[nodiscard]] constexpr DifferenceWeights difference_weights(Difference difference) {
  return difference.weights == StarWeights::taylor ? taylor_weights(difference.radius)
                                                   : minimax_weights(difference.radius);
}

/// True of the stencil that is compared: its kernels are all built in, for each level of the processor.
template <class Real, int Radius>
inline constexpr bool is_common_stencil = Radius == stencil_radius&& std::is_same_v<Real, float>;

/// In place of a radius, which is known when the program runs then: of stencils whose kernels on a CPU are
/// built once for all radii.
inline constexpr int any_radius = 0;

/// The weights of ∇²ₕ on a grid: divided by h² of each axis (1/m²).
template <class Real, int Radius = stencil_radius>
struct StencilWeights {
  static constexpr int radius = Radius;
  Real centre;
  Real x[Radius], y[Radius], z[Radius];
};

template <class Real>
struct StencilWeights<Real, any_radius> {
  int radius;
  Real centre;
  Real x[most_radius], y[most_radius], z[most_radius];
};

/// Rounds the weights of an axis, in the order of their distance m, to floats whose sum is a multiple of
/// `unit`. What that adds to the sum is spread so that Σ m² c_m, on which the speed of long waves depends,
/// keeps its value: first over the weights at 1 and 2, what their rounding leaves over those at 2 and 3. What
/// is left then passes from each weight to the next, and the last one, which has bits to spare, closes the
/// sum exactly. (A template, so that compilers of GPU code pass it over.)
template <class Real>
void round_with_sum(int radius, const double* exact, double unit, Real* rounded) {
  double sum = 0;
  for (int m = 1; m <= radius; ++m) sum += exact[m - 1];
  const double total = unit * std::round(sum / unit), moved = total - sum;
  double wanted[most_radius]{}, left = total;
  std::copy_n(exact, radius, wanted);
  if (radius > 1) wanted[0] += moved * 4 / 3;
  for (int m = 1; m <= radius; ++m) {
    if (m > 3 || m == radius) {
      wanted[m - 1] = left;
      for (int beyond = m; beyond < radius; ++beyond) wanted[m - 1] -= exact[beyond];
    }
    rounded[m - 1] = static_cast<Real>(wanted[m - 1]);
    left -= rounded[m - 1];
    if (radius > 2 && m == 1) {
      const double first = rounded[0] - exact[0], third = (3 * first - 4 * moved) / 5;
      wanted[1] += moved - first - third;
      wanted[2] += third;
    }
  }
}

/// Rounded from double. In float they add up to zero exactly: else a field that is constant would change,
/// and phases would shift with every step.
template <class Real, int Radius = stencil_radius>
[[nodiscard]] StencilWeights<Real, Radius> make_stencil_weights(Point3 h, Difference along = Radius) {
  const int radius = along.radius;
  static constexpr DifferenceWeights known = taylor_weights(Radius);
  const bool is_known = Radius != any_radius && along.weights == StarWeights::taylor;
  const DifferenceWeights difference = is_known ? known : difference_weights(along);
  StencilWeights<Real, Radius> w{};
  if constexpr (Radius == any_radius) w.radius = radius;
  double centre = difference.centre * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z));
  [[maybe_unused]] const float least = std::abs(static_cast<float>(centre));
  [[maybe_unused]] const double unit =
      (double{std::nextafter(least, std::numeric_limits<float>::infinity())} - least) / 2;
  const auto set_axis = [&](double spacing, Real* ring) {
    double exact[most_radius]{};
    for (int m = 0; m < radius; ++m) exact[m] = difference.second[m] / (spacing * spacing);
    if constexpr (std::is_same_v<Real, float>) {
      round_with_sum(radius, exact, unit, ring);
    } else {
      std::copy_n(exact, radius, ring);
    }
  };
  set_axis(h.x, w.x);
  set_axis(h.y, w.y);
  set_axis(h.z, w.z);
  centre = 0;
  const Real* const rings[] = {&w.x[0], &w.y[0], &w.z[0]};
  for (const Real* const ring : rings) {
    for (int m = 0; m < radius; ++m) centre -= 2 * double{ring[m]};
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

/// 1 / x of 1 to 2^64, rounded once. A GPU's division is the same steps, behind a branch for all other x.
template <class Real>
MINIMOD_HD inline Real reciprocal_from_one(Real x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, float>) {
    float near = 0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(x));
    return fused(near, fused(-x, near, 1.F), near);
  }
#endif
  return Real(1) / x;
}

/// The less of two, value by value of vectors and packs.
template <class Real>
MINIMOD_HD inline Real lesser(Real a, Real b) {
  return b < a ? b : a;
}

/// Values of u around a point that its update needs.
template <class Value>
struct StarValues {
  Value u;           ///< at the point
  Value laplacian;   ///< ∇²ₕu
  Value dx, dy, dz;  ///< u₊ − u₋ between the two direct neighbours along each axis
};

/// Before a loop over the points of a star: on a GPU they must be known by number to be in registers. A file
/// may say otherwise for its stars.
#ifndef MINIMOD_UNROLL
#define MINIMOD_UNROLL _Pragma("unroll")
#endif

/// Evaluates the star. `star.x(m)`, `star.y(m)`, `star.z(m)` give u at m points along an axis, m = −R … R;
/// where they come from (global memory, a shared tile, registers) is what the code shapes differ in. One sum
/// whose greatest terms come last, so that it rounds little: the outer rings of one axis after the other,
/// which need not hold the values of all axes at once, then the nearest points of all, the centre at the end.
/// The values are reals, or packs of them.
template <class Real, int Radius, class Star>
MINIMOD_HD inline auto evaluate(const StencilWeights<Real, Radius>& w, const Star& star) {
  using Value = decltype(star.x(0));
  const Value u = star.x(0);
  Value sum = 0;
  MINIMOD_UNROLL
  for (int m = w.radius; m >= 2; --m) sum = fused(w.y[m - 1], star.y(m) + star.y(-m), sum);
  MINIMOD_UNROLL
  for (int m = w.radius; m >= 2; --m) sum = fused(w.x[m - 1], star.x(m) + star.x(-m), sum);
  MINIMOD_UNROLL
  for (int m = w.radius; m >= 2; --m) sum = fused(w.z[m - 1], star.z(m) + star.z(-m), sum);
  sum = fused(w.y[0], star.y(1) + star.y(-1), sum);
  sum = fused(w.x[0], star.x(1) + star.x(-1), sum);
  sum = fused(w.z[0], star.z(1) + star.z(-1), sum);
  return StarValues<Value>{u, fused(w.centre, u, sum), star.x(1) - star.x(-1), star.y(1) - star.y(-1),
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
