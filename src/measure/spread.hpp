/// Spread of what was measured several times.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/base/json.hpp"

namespace minimod {

struct Spread {
  double min = 0, median = 0, max = 0;
};
/// Spread of one value at least.
[[nodiscard]] Spread spread(std::vector<double> values);
/// Spread of each of the numbers that so many calls give.
[[nodiscard]] std::vector<Spread> spreads(int calls, const std::function<std::vector<double>()>& numbers);
/// Two of some values between which the median of all that there might be lies with 95 % confidence, whatever
/// they are drawn from; nothing of fewer than six.
struct Interval {
  double low = 0, high = 0;
};
[[nodiscard]] std::optional<Interval> median_interval(std::vector<double> values);
/// Work over seconds.
[[nodiscard]] Spread rates(double work, const Spread& seconds);
[[nodiscard]] Json to_record(const Spread& spread);

}  // namespace minimod
