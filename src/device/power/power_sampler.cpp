#include "src/device/power/power_sampler.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "src/base/process/threads.hpp"
#include "src/base/timer.hpp"

namespace minimod {

void TimeMean::add(double seconds, const std::optional<double>& value) {
  if (!value) return;
  if (last_) {
    area_ += 0.5 * (seconds - seconds_) * (*last_ + *value);
    span_ += seconds - seconds_;
  }
  least_ = last_ ? std::min(least_, *value) : *value;
  last_ = value;
  seconds_ = seconds;
}

std::optional<double> TimeMean::mean() const {
  return span_ > 0 ? std::optional(area_ / span_) : last_;
}

std::optional<ClockSpread> TimeMean::spread() const {
  return last_ ? std::optional(ClockSpread{least_, *mean()}) : std::nullopt;
}

void PowerSpan::add(const PowerSample& sample) {
  const PowerState& state = sample.state;
  if (!begin_) begin_ = sample.seconds;
  end_ = sample.seconds;
  if (joules_ && state.joules && *joules_ != *state.joules) {
    if (!first_step_) first_step_ = sample;
    last_step_ = sample;
  }
  if (state.joules) joules_ = state.joules;
  watts_.add(sample.seconds, state.watts);
  clock_.add(sample.seconds, state.clock_mhz);
  memory_clock_.add(sample.seconds, state.memory_clock_mhz);
  figures_.celsius = std::max(figures_.celsius, state.celsius);  // nothing is less than any
  figures_.throttled |= state.throttled;
}

std::optional<double> PowerSpan::watts_of_counter() const {
  if (!first_step_) return std::nullopt;
  const double between = last_step_->seconds - first_step_->seconds;
  if (between <= 0 || between < 0.5 * (end_ - *begin_)) return std::nullopt;
  return (*last_step_->state.joules - *first_step_->state.joules) / between;
}

PowerFigures PowerSpan::figures() const {
  PowerFigures figures = figures_;
  figures.watts = watts_of_counter();
  if (!figures.watts) figures.watts = watts_.mean();
  figures.clock_mhz = clock_.spread();
  figures.memory_clock_mhz = memory_clock_.spread();
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
  return span_.figures();
}

void PowerSampler::sample(const std::stop_token& stop) {
  const Timer timer;
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const auto take = [&] { span_.add({timer.seconds(), source_.read()}); };
  do {
    take();
  } while (!ended.wait_for(lock, stop, period_, [&] { return stop.stop_requested(); }));
  take();
}

}  // namespace minimod
