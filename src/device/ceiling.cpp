#include "src/device/ceiling.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace minimod {

std::string_view ceiling_meaning(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> meanings[] = {
      {"dram_read", "memory, reads alone, of an array far larger than the caches"},
      {"dram_copy", "memory, one read and one write"},
      {"dram_triad", "memory, two reads and one write"},
      {"dram_3r1w", "memory, three reads and one write, as an update of the wave equation has"},
      {"l2_read", "the second-level cache, reads alone"},
      {"l2_2r1w", "the second-level cache, two reads and one write: both ways at once, as kernels have them"},
      {"l2_near", "the second-level cache, reads alone, each of what has its home on the reader's side"},
      {"l2_far", "the fabric between the sides of that cache: reads of what has its home on the other side"},
      {"l1_read", "the first-level cache, reads alone"},
      {"shared_read", "shared memory, reads alone"},
      {"fp32_fma", "arithmetic of floats where all is multiply-adds, each of which is two operations"},
      {"fp32_add", "arithmetic of floats where nothing is a multiply-add"},
      {"fp64_fma", "arithmetic of doubles where all is multiply-adds"},
  };
  const auto* const found =
      std::ranges::find(meanings, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(meanings) ? std::string_view{} : found->second;
}

Ceiling measure_ceiling(const Ceiling& what, double amount, const std::function<double()>& seconds) {
  constexpr int warm_up = 2;
  for (int i = 0; i < warm_up; ++i) static_cast<void>(seconds());
  Ceiling measured = what;
  for (int i = 0; i < ceiling_repeats; ++i) measured.rates.push_back(amount / seconds() * 1e-9);
  return measured;
}

double least_seconds(const std::function<double()>& seconds, Thoroughness thoroughness) {
  const int most_in_vain = static_cast<int>(thoroughness);
  double least = seconds();
  for (int run = 1, in_vain = 0; run < ceiling_repeats && in_vain < most_in_vain; ++run) {
    const double now = seconds();
    in_vain = now < least ? 0 : in_vain + 1;
    least = std::min(least, now);
  }
  return least;
}

}  // namespace minimod
