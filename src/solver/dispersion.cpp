#include "src/solver/dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// The square of the wave number that the second difference along an axis makes of k.
double squared_wave_number(double k, double h) {
  using Weights = SecondDifference<stencil_radius>;
  double sum = 0;  // Σ 2 c_m (1 − cos) rather than c0 + …: nothing cancels for long waves
  for (int m = 1; m <= stencil_radius; ++m) {
    const double sine = std::sin(m * k * h / 2);
    sum += 4 * Weights::ring[m - 1] * sine * sine;
  }
  return sum / (h * h);
}

}  // namespace

double numerical_frequency(Point3 k, double velocity, Point3 h, double dt) {
  const double squared =
      squared_wave_number(k.x, h.x) + squared_wave_number(k.y, h.y) + squared_wave_number(k.z, h.z);
  return 2 / dt * std::asin(velocity * dt / 2 * std::sqrt(squared));
}

double numerical_phase_velocity(Point3 direction, double frequency, double velocity, Point3 h, double dt) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double length = std::hypot(direction.x, direction.y, direction.z);
  const Point3 d{direction.x / length, direction.y / length, direction.z / length};
  const auto omega_of = [&](double k) {
    return numerical_frequency({k * d.x, k * d.y, k * d.z}, velocity, h, dt);
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

double predicted_phase_error(double distance, double frequency, double velocity, Point3 h, double dt) {
  constexpr Point3 directions[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                   {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  double worst = 0;
  for (const Point3& direction : directions) {
    const double numerical = numerical_phase_velocity(direction, frequency, velocity, h, dt);
    const double late = distance / numerical - distance / velocity;
    if (std::abs(late) > std::abs(worst)) worst = late;
  }
  return worst;
}

}  // namespace minimod
