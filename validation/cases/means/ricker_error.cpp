#include "validation/cases/means/ricker_error.hpp"

#include <cmath>
#include <numbers>

#include "kernels/stencil.hpp"
#include "src/solver/numerics/dispersion.hpp"
#include "validation/cases/means/domain.hpp"

namespace minimod {

double point_source(double r, double velocity, double t, double f, double t0) {
  const double retarded = t - r / velocity;
  return retarded < 0 ? 0 : ricker(retarded, f, t0) / (4 * std::numbers::pi * r);
}

namespace {

/// g'' of g(k) = (1/h²) [−c0 − 2 Σ c_m cos(m k h)].
double second_derivative(double k, double h, Difference along) {
  double sum = 0;
  for (int m = 1; m <= along.radius; ++m) {
    sum += 2 * difference_weights(along).second[m - 1] * m * m * std::cos(m * k * h);
  }
  return sum;
}

}  // namespace

double predicted_ricker_error(double r, int axes, double f, double velocity, double h, double dt,
                              Difference along) {
  constexpr int intervals = 400;
  constexpr double highest = 4;  // times f: e^-32 of the energy density is left there
  const Point3 direction{1, axes > 1 ? 1.0 : 0.0, axes > 2 ? 1.0 : 0.0};
  double difference = 0, energy = 0;
  for (int i = 1; i <= intervals; ++i) {
    const double x = highest * i / intervals;
    const double density = std::pow(x, 4) * std::exp(-2 * x * x), omega = 2 * std::numbers::pi * x * f;
    const double c = numerical_phase_velocity(direction, x * f, velocity, {h, h, h}, dt, along);
    energy += density;
    if (c == 0) {  // a wave that the grid does not carry is missing as a whole
      difference += density;
      continue;
    }
    const double k = omega / c / std::sqrt(axes);
    const double amplitude = std::pow(2 / second_derivative(k, h, along), (axes - 1) / 2.0);
    const double half_phase = (omega * r / c - omega * r / velocity) / 2;
    difference += density * (std::pow(amplitude - 1, 2) + amplitude * std::pow(2 * std::sin(half_phase), 2));
  }
  return std::sqrt(difference / energy);
}

}  // namespace minimod
