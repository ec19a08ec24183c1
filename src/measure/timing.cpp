#include "src/measure/timing.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/process/stop_requests.hpp"
#include "src/device/stopwatch.hpp"
#include "src/job/outputs/provenance.hpp"

namespace minimod {

namespace {

constexpr int most_runs = 100;
constexpr double known_within = 0.005;     // width of the median's interval, of itself, that is enough
constexpr double seconds_of_energy = 1.1;  // length of a run of which a counter of energy tells

bool is_enough(const std::vector<double>& seconds, double spent, const RunsWanted& wanted) {
  const int runs = static_cast<int>(seconds.size());
  if (wanted.exactly) return runs >= *wanted.exactly;
  if (runs < wanted.least) return false;
  if (runs >= most_runs || spent >= wanted.seconds) return true;
  const auto interval = median_interval(seconds);
  return interval && interval->high - interval->low <= known_within * spread(seconds).median;
}

}  // namespace

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

TimedRuns timed_runs(const TimedSteps& timed, const Slab& slab, int steps, int warm_up,
                     const RunsWanted& wanted) {
  const auto seconds_of = [&](int count) { return seconds_of_steps(timed.backend, count, timed.step); };
  const auto slowest = [&](double seconds) { return std::ranges::max(timed.cut.gather(seconds)); };
  static_cast<void>(slowest(seconds_of(warm_up)));  // all have warmed up
  int times = 1;                                    // how often a run has the steps
  if (wanted.power != nullptr) {
    times = std::max(1, static_cast<int>(std::ceil(seconds_of_energy / slowest(seconds_of(steps)))));
  }
  const ExchangeCount before = timed.exchanged();
  TimedRuns found;
  std::vector<double> mine;
  const auto is_stopped = [&] { return !mine.empty() && timed.cut.any(StopRequests::came()); };
  for (double spent = 0; !is_enough(found.seconds, spent, wanted) && !is_stopped();
       spent += times * found.seconds.back()) {
    RunFacts& facts = found.facts.emplace_back(RunFacts{utc_now(), times * steps, {}});
    std::optional<PowerSampler> sampler;
    if (wanted.power != nullptr) sampler.emplace(*wanted.power);
    mine.push_back(seconds_of(facts.steps) / times);
    if (sampler) facts.power = sampler->end();
    found.seconds.push_back(slowest(mine.back()));
  }
  const ExchangeCount after = timed.exchanged();
  const auto asked = static_cast<int>(found.seconds.size()) * times;  // runs of the steps asked for
  found.mine = {slab, spread(mine).median, (after.bytes - before.bytes) / asked,
                (after.seconds - before.seconds) / asked, 0};
  return found;
}

}  // namespace minimod
