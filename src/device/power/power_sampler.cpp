#include "src/device/power/power_sampler.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "src/base/process/threads.hpp"

namespace minimod {

namespace {

/// Joules over seconds between the first step of the counter and the last.
std::optional<double> watts_of_counter(const std::vector<PowerSample>& samples) {
  const PowerSample *first = nullptr, *last = nullptr;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const auto &before = samples[i - 1].state.joules, &now = samples[i].state.joules;
    if (!before || !now || *now == *before) continue;
    if (first == nullptr) first = &samples[i];
    last = &samples[i];
  }
  if (first == last) return std::nullopt;
  const double between = last->seconds - first->seconds;
  if (between < 0.5 * (samples.back().seconds - samples.front().seconds)) return std::nullopt;
  return (*last->state.joules - *first->state.joules) / between;
}

/// Mean over the time, by trapezoids; of a single sample its own.
std::optional<double> mean_of(const std::vector<PowerSample>& samples,
                              std::optional<double> PowerState::*figure) {
  double area = 0, span = 0;
  const PowerSample* before = nullptr;
  for (const PowerSample& sample : samples) {
    if (!(sample.state.*figure)) continue;
    if (before != nullptr) {
      const double seconds = sample.seconds - before->seconds;
      area += 0.5 * seconds * (*(before->state.*figure) + *(sample.state.*figure));
      span += seconds;
    }
    before = &sample;
  }
  if (before == nullptr) return std::nullopt;
  return span > 0 ? area / span : *(before->state.*figure);
}

std::optional<ClockSpread> spread_of(const std::vector<PowerSample>& samples,
                                     std::optional<double> PowerState::*clock) {
  const auto mean = mean_of(samples, clock);
  if (!mean) return std::nullopt;
  ClockSpread spread{std::numeric_limits<double>::max(), *mean};
  for (const PowerSample& sample : samples) {
    spread.least = std::min(spread.least, (sample.state.*clock).value_or(spread.least));
  }
  return spread;
}

}  // namespace

PowerFigures figures_of(const std::vector<PowerSample>& samples) {
  PowerFigures figures;
  figures.watts = watts_of_counter(samples);
  if (!figures.watts) figures.watts = mean_of(samples, &PowerState::watts);
  figures.clock_mhz = spread_of(samples, &PowerState::clock_mhz);
  figures.memory_clock_mhz = spread_of(samples, &PowerState::memory_clock_mhz);
  for (const PowerSample& sample : samples) {
    figures.throttled |= sample.state.throttled;
    if (sample.state.celsius)
      figures.celsius = std::max(figures.celsius.value_or(-300), *sample.state.celsius);
  }
  return figures;
}

PowerSampler::PowerSampler(PowerSource& source, std::chrono::milliseconds period)
    : source_(source), period_(period) {
  const Unbound unbound;  // the thread may sample beside those that are bound to cores
  thread_ = std::jthread([this](const std::stop_token& stop) { sample(stop); });
}

PowerFigures PowerSampler::end() {
  thread_.request_stop();
  thread_.join();
  return figures_of(samples_);
}

void PowerSampler::sample(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const auto take = [&] {
    const std::chrono::duration<double> now = Clock::now() - start;
    samples_.push_back({now.count(), source_.read()});
  };
  do {
    take();
  } while (!ended.wait_for(lock, stop, period_, [&] { return stop.stop_requested(); }));
  take();
}

}  // namespace minimod
