#include "src/solver/time_step.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/stencil.hpp"

namespace minimod {

double stable_dt_limit(double v_max, Point3 h, Difference difference) {
  const DifferenceWeights weights = difference_weights(difference);
  double sum = std::abs(weights.centre);
  for (const double weight : weights.second) sum += 2 * std::abs(weight);
  return 2 / (v_max * std::sqrt(sum * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z))));
}

double points_per_wavelength(double v_min, Point3 h, double frequency) {
  return v_min / (frequency * std::max({h.x, h.y, h.z}));
}

}  // namespace minimod
