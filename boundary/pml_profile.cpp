#include "boundary/pml_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minimod {

namespace {
double peak_of(int width, double spacing, double velocity, double dt) {
  return 3 * velocity * std::log(1000.0) * dt / (2 * width * spacing);
}

/// η of the PML point m of `width`.
double damping(int m, int width, double spacing, double velocity, double dt) {
  const double depth = static_cast<double>(m) / width;
  return peak_of(width, spacing, velocity, dt) * depth * depth;
}

/// Calls visit(axis, P, width) for each.
void for_layers(const std::vector<PmlAxis>& axes, double velocity, double dt, const auto& visit) {
  for (const PmlAxis& axis : axes) {
    for (const int width : {axis.low, axis.high}) {
      if (width > 0) visit(axis, peak_of(width, axis.spacing, velocity, dt), width);
    }
  }
}
}  // namespace

std::vector<double> make_pml_profile(const PmlAxis& axis, double velocity, double dt) {
  std::vector<double> eta(axis.points + 2, 0.0);
  for (int m = 0; m <= axis.low && axis.low > 0; ++m) {
    eta[axis.low - m] = damping(m, axis.low, axis.spacing, velocity, dt);
  }
  for (int m = 0; m <= axis.high && axis.high > 0; ++m) {
    eta[axis.points - axis.high + 1 + m] = damping(m, axis.high, axis.spacing, velocity, dt);
  }
  return eta;
}

double pml_alpha(const std::vector<PmlAxis>& axes, double velocity, double dt) {
  double least_peak = std::numeric_limits<double>::infinity(), stable = 0;
  for_layers(axes, velocity, dt, [&](const PmlAxis&, double peak, int width) {
    least_peak = std::min(least_peak, peak);
    stable = std::max(stable, peak * std::max(1.0, 5.0 / width) / (width * width));
  });
  return stable > 0 ? std::max(0.04 * least_peak, stable) : 0;
}

double least_pml_alpha(const std::vector<PmlAxis>& axes, double velocity, double dt) {
  double least = 0;
  for_layers(axes, velocity, dt, [&](const PmlAxis&, double peak, int width) {
    least = std::max(least, 0.42 * peak / (width * width));
  });
  return least;
}

PmlGrowth pml_growth(const std::vector<PmlAxis>& axes, double velocity) {
  PmlGrowth growth;
  for_layers(axes, velocity, 1, [&](const PmlAxis& axis, double /*peak*/, double w) {
    const double rate = 4.2 * velocity / (axis.spacing * w * (w * w + 8)), share = 1.7 / std::pow(w, 5);
    if (rate > growth.rate) growth = {rate, std::max(0.0, std::log(1e-3 / share) / rate)};
  });
  return growth;
}

}  // namespace minimod
