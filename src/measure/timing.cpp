#include "src/measure/timing.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "src/device/stopwatch.hpp"

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

Spread rates(double work, const Spread& seconds) {
  return {work / seconds.max, work / seconds.median, work / seconds.min};
}

Json to_record(const Spread& s) {
  return {{"min", s.min}, {"median", s.median}, {"max", s.max}};
}

double seconds_of_steps(Backend& backend, int steps, const std::function<void()>& step) {
  Stopwatch watch(backend);
  watch.start();
  for (int i = 0; i < steps; ++i) step();
  watch.lap();
  return watch.seconds();
}

int warm_up_steps(int steps, std::optional<int> asked) {
  return asked.value_or(std::max(1, steps / 10));
}

TimedRuns timed_runs(const TimedSteps& timed, const Slab& slab, int steps, int warm_up, int runs) {
  const auto seconds_of = [&](int count) { return seconds_of_steps(timed.backend, count, timed.step); };
  static_cast<void>(timed.cut.gather(seconds_of(warm_up)));  // all have warmed up
  const ExchangeCount before = timed.exchanged();
  TimedRuns found;
  std::vector<double> mine;
  for (int run = 0; run < runs; ++run) {
    mine.push_back(seconds_of(steps));
    found.seconds.push_back(std::ranges::max(timed.cut.gather(mine.back())));
  }
  const ExchangeCount after = timed.exchanged();
  found.mine = {slab, spread(mine).median, (after.bytes - before.bytes) / runs,
                (after.seconds - before.seconds) / runs, 0};
  return found;
}

}  // namespace minimod
