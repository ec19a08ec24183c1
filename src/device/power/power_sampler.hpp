/// A device's power, clocks and temperature over a span of time, by a thread that sleeps but for the samples.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "src/device/power/power_source.hpp"

namespace minimod {

struct PowerSample {
  double seconds = 0;  ///< since the first
  PowerState state;
};

/// Clock over a span, MHz.
struct ClockSpread {
  double least = 0, mean = 0;
};

/// Figures of a span; nothing where the device did not tell.
struct PowerFigures {
  std::optional<double> watts;  ///< mean
  std::optional<ClockSpread> clock_mhz, memory_clock_mhz;
  std::optional<double> celsius;  ///< greatest
  std::uint64_t throttled = 0;    ///< all reasons that were seen
};

/// Mean over the time, by trapezoids, and least of what is sampled; of a single sample its own.
class TimeMean {
 public:
  void add(double seconds, const std::optional<double>& value);
  [[nodiscard]] std::optional<double> mean() const;
  /// With the mean, MHz.
  [[nodiscard]] std::optional<ClockSpread> spread() const;

 private:
  double area_ = 0, span_ = 0, least_ = 0, seconds_ = 0;
  std::optional<double> last_;
};

/// Sums over the samples of a span, however many.
class PowerSpan {
 public:
  void add(const PowerSample& sample);
  /// Watts are the energy between two steps of the counter over the time between them, for a counter is set
  /// anew each 20 to 100 ms alone; where it has no two in half of the span, the mean of the samples of power
  /// over the time.
  [[nodiscard]] PowerFigures figures() const;

 private:
  [[nodiscard]] std::optional<double> watts_of_counter() const;

  PowerFigures figures_;  ///< temperature and reasons so far
  TimeMean watts_, clock_, memory_clock_;
  std::optional<double> joules_;
  std::optional<PowerSample> first_step_, last_step_;  ///< steps of the counter
  std::optional<double> begin_;
  double end_ = 0;
};

/// Samples from its construction on.
class PowerSampler {
 public:
  explicit PowerSampler(PowerSource& source,
                        std::chrono::milliseconds period = std::chrono::milliseconds(20));
  PowerSampler(const PowerSampler&) = delete;
  PowerSampler& operator=(const PowerSampler&) = delete;
  ~PowerSampler() = default;

  /// Ends the span; once.
  [[nodiscard]] PowerFigures end();

 private:
  void sample(const std::stop_token& stop);

  PowerSource& source_;
  std::chrono::milliseconds period_;
  PowerSpan span_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace minimod
