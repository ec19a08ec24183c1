#include "src/measure/spread.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/json.hpp"

namespace minimod {

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

std::vector<Spread> spreads(int calls, const std::function<std::vector<double>()>& numbers) {
  std::vector<std::vector<double>> samples;
  for (int call = 0; call < calls; ++call) {
    const std::vector<double> found = numbers();
    samples.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) samples[i].push_back(found[i]);
  }
  std::vector<Spread> all;
  all.reserve(samples.size());
  for (const std::vector<double>& of_one : samples) all.push_back(spread(of_one));
  return all;
}

std::optional<Interval> median_interval(std::vector<double> values) {
  constexpr double outside = 0.025;  // chance on either side
  const std::size_t n = values.size();
  // Each value is below the median or above it as a coin falls: chance(k) is that of k heads.
  double chance = std::pow(0.5, n), below = chance;
  if (n == 0 || below > outside) return std::nullopt;
  std::size_t k = 0;
  for (;;) {
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    if (below + chance > outside) break;
    below += chance;
    ++k;
  }
  std::sort(values.begin(), values.end());
  return Interval{values[k], values[n - 1 - k]};
}

Spread rates(double work, const Spread& seconds) {
  return {work / seconds.max, work / seconds.median, work / seconds.min};
}

Json to_record(const Spread& s) {
  return {{"min", s.min}, {"median", s.median}, {"max", s.max}};
}

}  // namespace minimod
