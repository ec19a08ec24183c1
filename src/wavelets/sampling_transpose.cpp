#include "src/wavelets/sampling_transpose.hpp"

#include <algorithm>
#include <cmath>

#include "src/wavelets/spline.hpp"

namespace minimod {

std::vector<double> transpose_sampling(std::span<const double> by_fed, const TimeAxis& times,
                                       std::size_t count, double dt, double first) {
  std::vector<double> at(count);
  for (std::size_t k = 0; k < count; ++k) at[k] = first + static_cast<double>(k) * dt;
  const auto last = static_cast<int>(std::ceil((at.back() - times.first) / times.dt));
  std::vector<double> by_steps(by_fed.begin(), by_fed.end());
  if (times.dispersion == TimeDispersion::corrected)
    by_steps = transpose_warp(by_fed, static_cast<std::size_t>(std::max(times.steps, last + 1)));
  std::vector<double> steps(by_steps.size());
  for (std::size_t n = 0; n < steps.size(); ++n) steps[n] = times.at(static_cast<double>(n));
  return Spline(at, std::vector<double>(count)).transposed(steps, by_steps);
}

}  // namespace minimod
