#include "src/solver/numerics/time_step.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// S.
double sum_of_magnitudes(Difference difference) {
  const DifferenceWeights weights = difference_weights(difference);
  double sum = std::abs(weights.centre);
  for (const double weight : weights.second) sum += 2 * std::abs(weight);
  return sum;
}

}  // namespace

double stable_dt_limit(double v_max, Point3 h, Difference difference) {
  const double sum = sum_of_magnitudes(difference);
  return 2 / (v_max * std::sqrt(sum * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z))));
}

double vti_dt_limit(double v_max, double epsilon, double delta, Point3 h, Difference difference) {
  const double sum = sum_of_magnitudes(difference);
  const double across = (1 + 2 * epsilon) * sum * (1 / (h.x * h.x) + 1 / (h.y * h.y));
  const double along = sum / (h.z * h.z);
  const double coupled = (1 + 2 * delta) / (1 + 2 * epsilon) * across * along;
  const double greatest = (across + along) / 2 + std::sqrt((across - along) * (across - along) / 4 + coupled);
  return 2 / (v_max * std::sqrt(greatest));
}

double points_per_wavelength(double v_min, Point3 h, double frequency) {
  return v_min / (frequency * std::max({h.x, h.y, h.z}));
}

}  // namespace minimod
