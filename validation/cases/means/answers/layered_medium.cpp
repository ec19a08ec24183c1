#include "validation/cases/means/answers/layered_medium.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/error.hpp"

namespace minimod {

namespace {

using Complex = std::complex<double>;

/// s'(t).
double ricker_slope(double t, double f, double t0) {
  const double w = std::numbers::pi * f, a = std::pow(w * (t - t0), 2);
  return -2 * w * w * (t - t0) * (3 - 2 * a) * std::exp(-a);
}

/// R(p, q) for a squared horizontal slowness p² − q², whose root has the branch of decay.
double reflection(const LayeredMedium& m, Complex squared_slowness) {
  const Complex eta1 = std::sqrt(1 / (m.c1 * m.c1) - squared_slowness);
  const Complex eta2 = std::sqrt(1 / (m.c2 * m.c2) - squared_slowness);
  return ((eta1 - eta2) / (eta1 + eta2)).real();
}

}  // namespace

double mean_reflection(const LayeredMedium& medium, double offset, double heights, double t) {
  constexpr int angles = 64;  // the integrand is smooth and periodic: more change nothing
  const double distance = std::hypot(offset, heights);
  if (offset * medium.c2 >= distance * medium.c1) {
    throw Error(ErrorKind::data, text("an offset of ", offset, " m is not pre-critical"),
                "take a smaller one");
  }
  const double squared = t * t / (distance * distance) - 1 / (medium.c1 * medium.c1);
  if (squared < 0) return 0;
  double sum = 0;
  for (int i = 0; i < angles; ++i) {
    const double alpha = std::numbers::pi / 2 * (i + 0.5) / angles;
    const double q = std::sqrt(squared) * std::sin(alpha), root = std::sqrt(squared) * std::cos(alpha);
    const Complex p(offset * t / (distance * distance), heights * root / distance);
    sum += reflection(medium, p * p - q * q);
  }
  return sum / angles;
}

double zero_offset_reflection(const LayeredMedium& medium, double heights, double t) {
  const double a = t / heights;
  if (a * medium.c1 < 1) return 0;
  const double b = std::sqrt(a * a - 1 / (medium.c1 * medium.c1) + 1 / (medium.c2 * medium.c2));
  return (a - b) / (a + b);
}

std::vector<double> reflected_ricker(const LayeredMedium& medium, double offset, double heights, double f,
                                     double t0, double dt, int steps) {
  constexpr int finer = 4;  // than the time step: its trapezoids leave 1e-6
  const double distance = std::hypot(offset, heights), first = distance / medium.c1, width = dt / finer;
  const int count = std::max(0, static_cast<int>(std::ceil((steps * dt - first) / width))) + 1;
  std::vector<double> mean(count), trace(steps + 1, 0.0);
  for (int i = 0; i < count; ++i) {
    const double rounding = 1e-12;  // t = D/c₁ itself is on the path
    mean[i] = mean_reflection(medium, offset, heights, (first + i * width) * (1 + rounding));
  }
  for (int n = 0; n <= steps; ++n) {
    double sum = 0;
    for (int i = 0; i < count && first + i * width <= n * dt; ++i) {
      sum += (i == 0 ? 0.5 : 1) * mean[i] * ricker_slope(n * dt - first - i * width, f, t0);
    }
    trace[n] = sum * width / (4 * std::numbers::pi * distance);
  }
  return trace;
}

}  // namespace minimod
