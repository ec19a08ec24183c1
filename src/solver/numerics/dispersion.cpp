#include "src/solver/numerics/dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// The square of the wave number that the second difference along an axis makes of k.
double squared_wave_number(double k, double h, Difference difference) {
  const DifferenceWeights weights = difference_weights(difference);
  double sum = 0;  // Σ 2 c_m (1 − cos) rather than c0 + …: nothing cancels for long waves
  for (int m = 1; m <= difference.radius; ++m) {
    const double sine = std::sin(m * k * h / 2);
    sum += 4 * weights.second[m - 1] * sine * sine;
  }
  return sum / (h * h);
}

}  // namespace

double numerical_frequency(Point3 k, double velocity, Point3 h, double dt, Difference difference) {
  const double squared = squared_wave_number(k.x, h.x, difference) +
                         squared_wave_number(k.y, h.y, difference) +
                         squared_wave_number(k.z, h.z, difference);
  if (dt == 0) return velocity * std::sqrt(squared);
  return 2 / dt * std::asin(velocity * dt / 2 * std::sqrt(squared));
}

double numerical_phase_velocity(Point3 direction, double frequency, double velocity, Point3 h, double dt,
                                Difference difference) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double length = std::hypot(direction.x, direction.y, direction.z);
  const Point3 d{direction.x / length, direction.y / length, direction.z / length};
  const auto omega_of = [&](double k) {
    return numerical_frequency({k * d.x, k * d.y, k * d.z}, velocity, h, dt, difference);
  };
  // ω rises with k up to the first axis that reaches its Nyquist wave number.
  double below = 0, above = std::numeric_limits<double>::infinity();
  for (const auto& [component, spacing] : {std::pair{d.x, h.x}, {d.y, h.y}, {d.z, h.z}}) {
    if (component != 0) above = std::min(above, std::numbers::pi / (std::abs(component) * spacing));
  }
  if (!(omega_of(above) >= omega)) return 0;
  for (double middle = above / 2; below < middle && middle < above; middle = (below + above) / 2) {
    (omega_of(middle) < omega ? below : above) = middle;
  }
  return omega / above;
}

double least_points_per_wavelength(int radius) {
  constexpr double of_order_8 = 4, most = 1e3;
  if (radius == stencil_radius) return of_order_8;
  const auto speed = [](double points, int of_radius) {  // over that of long waves; rises with the points
    const double k = 2 * std::numbers::pi / points;
    return std::sqrt(squared_wave_number(k, 1, of_radius)) / k;
  };
  const double wanted = speed(of_order_8, stencil_radius);
  double below = 2, above = most;
  for (double middle = above / 2; below < middle && middle < above; middle = (below + above) / 2) {
    (speed(middle, radius) < wanted ? below : above) = middle;
  }
  return above;
}

double predicted_phase_error(double distance, double frequency, double velocity, Point3 h, double dt,
                             Difference difference) {
  constexpr Point3 directions[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                   {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  double worst = 0;
  for (const Point3& direction : directions) {
    const double numerical = numerical_phase_velocity(direction, frequency, velocity, h, dt, difference);
    const double late = distance / numerical - distance / velocity;
    if (std::abs(late) > std::abs(worst)) worst = late;
  }
  return worst;
}

}  // namespace minimod
