#include "src/device/ceiling.hpp"

namespace minimod {

Ceiling measure_ceiling(const Ceiling& what, double amount, const std::function<double()>& seconds) {
  constexpr int warm_up = 2;
  for (int i = 0; i < warm_up; ++i) static_cast<void>(seconds());
  Ceiling measured = what;
  for (int i = 0; i < ceiling_repeats; ++i) measured.rates.push_back(amount / seconds() * 1e-9);
  return measured;
}

}  // namespace minimod
