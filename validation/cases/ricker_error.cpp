#include "validation/cases/ricker_error.hpp"

#include <cmath>
#include <numbers>

#include "src/dispersion.hpp"
#include "validation/cases/domain.hpp"

namespace minimod {

double point_source(double r, double velocity, double t, double f, double t0) {
  const double retarded = t - r / velocity;
  return retarded < 0 ? 0 : ricker(retarded, f, t0) / (4 * std::numbers::pi * r);
}

double predicted_ricker_error(double r, Point3 direction, double f, double velocity, Point3 h, double dt) {
  constexpr int intervals = 400;
  constexpr double highest = 4;  // times f: e^-32 of the energy density is left there
  double difference = 0, energy = 0;
  for (int i = 1; i <= intervals; ++i) {
    const double x = highest * i / intervals;
    const double density = std::pow(x, 4) * std::exp(-2 * x * x);
    const double c = numerical_phase_velocity(direction, x * f, velocity, h, dt);
    const double half_phase = std::numbers::pi * x * f * (r / c - r / velocity);
    // A wave that the grid does not carry is missing as a whole.
    difference += density * (c == 0 ? 1 : std::pow(2 * std::sin(half_phase), 2));
    energy += density;
  }
  return std::sqrt(difference / energy);
}

}  // namespace minimod
