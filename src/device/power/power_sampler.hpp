/// A device's power, clocks and temperature over a span of time, by a thread that sleeps but for the samples.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

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

/// Watts are the energy between two steps of the counter over the time between them, for a counter is set
/// anew each 20 to 100 ms alone; where it has no two in half of the span, the mean of the samples of power
/// over the time.
[[nodiscard]] PowerFigures figures_of(const std::vector<PowerSample>& samples);

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
  std::vector<PowerSample> samples_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace minimod
