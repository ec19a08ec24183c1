#include "src/device/ceiling.hpp"

#include <algorithm>

namespace minimod {

Ceiling measure_ceiling(const Ceiling& what, double amount, const std::function<double()>& seconds) {
  constexpr int warm_up = 2;
  for (int i = 0; i < warm_up; ++i) static_cast<void>(seconds());
  Ceiling measured = what;
  for (int i = 0; i < ceiling_repeats; ++i) measured.rates.push_back(amount / seconds() * 1e-9);
  return measured;
}

double least_seconds(const std::function<double()>& seconds, Patience patience) {
  const int most_in_vain = static_cast<int>(patience);
  double least = seconds();
  for (int run = 1, in_vain = 0; run < ceiling_repeats && in_vain < most_in_vain; ++run) {
    const double now = seconds();
    in_vain = now < least ? 0 : in_vain + 1;
    least = std::min(least, now);
  }
  return least;
}

}  // namespace minimod
