#include "src/roofline/launch_order.hpp"

namespace minimod {

bool is_part(const KernelCounters& launch) {
  constexpr const char* injection = "inject_sample";  // kernel of the CUDA backend, as a profiler names it
  return launch.kernel.find(injection) == std::string::npos;
}

std::vector<std::span<const KernelCounters>> launches_of_each(std::span<const LaunchOrder> sets, int steps,
                                                              std::span<const KernelCounters> all,
                                                              bool cut_off) {
  std::vector<std::span<const KernelCounters>> each;
  for (const LaunchOrder& order : sets) {
    const std::size_t period = order.parts.size(), expected = period * steps / order.steps;
    const std::size_t whole = all.size() / period * period;
    const std::size_t own = all.size() >= expected ? expected : cut_off ? whole : 0;
    each.push_back(all.first(own));
    all = own == expected ? all.subspan(own) : all.first(0);
  }
  if (!all.empty() && !cut_off) each.assign(sets.size(), {});
  return each;
}

CounterReadings readings_of(const std::string& part, const LaunchOrder& order,
                            std::span<const KernelCounters> launches) {
  CounterReadings sums;
  std::map<std::string, int> counts;
  int own = 0;
  const std::size_t periods = launches.size() / order.parts.size();
  for (std::size_t i = 0; i < periods * order.parts.size(); ++i) {
    if (order.parts[i % order.parts.size()] != part) continue;
    ++own;
    for (const auto& [metric, value] : launches[i].readings) {
      sums[metric] += value;
      ++counts[metric];
    }
  }
  const double steps = static_cast<double>(periods) * order.steps;
  std::erase_if(sums, [&](const auto& sum) { return counts[sum.first] < own; });
  for (auto& [metric, value] : sums) value /= metric.ends_with(".sum") ? steps : own;
  return sums;
}

}  // namespace minimod
