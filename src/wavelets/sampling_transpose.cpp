#include "src/wavelets/sampling_transpose.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/process/on_all_cores.hpp"
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
  std::vector<double> by_samples(count);
  on_all_cores("minimod::transpose_sampling", count, [&](std::size_t k) {
    std::vector<double> one(count);
    one[k] = 1;
    const Spline response(at, std::move(one));
    for (std::size_t n = 0; n < by_steps.size(); ++n)
      by_samples[k] += by_steps[n] * response(times.at(static_cast<double>(n)));
  });
  return by_samples;
}

}  // namespace minimod
