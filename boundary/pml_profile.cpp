#include "boundary/pml_profile.hpp"

#include <cmath>

namespace minimod {

namespace {
/// η of the PML point m of `width`.
double damping(int m, int width, double spacing, double velocity, double dt) {
  const double peak = 3 * velocity * std::log(1000.0) * dt / (2 * width * spacing);
  const double depth = static_cast<double>(m) / width;
  return peak * depth * depth;
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

}  // namespace minimod
