/// A device's own figures of energy, clocks and temperature, read while it works.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minimod {

/// State of a device at a moment; nothing where it does not tell.
struct PowerState {
  std::optional<double> joules;  ///< a counter's, which never runs back
  std::optional<double> watts;
  std::optional<double> clock_mhz;  ///< clock of the multiprocessors, or of a core
  std::optional<double> memory_clock_mhz;
  std::optional<double> celsius;
  std::uint64_t throttled = 0;  ///< bits of reasons, which the source has names for
};

class PowerSource {
 public:
  PowerSource() = default;
  PowerSource(const PowerSource&) = delete;
  PowerSource& operator=(const PowerSource&) = delete;
  virtual ~PowerSource() = default;

  /// From one thread at a time.
  [[nodiscard]] virtual PowerState read() = 0;
  /// Words on where joules come from; empty where the source has none, and clocks alone.
  [[nodiscard]] virtual std::string how() const = 0;
  /// Why it has none.
  [[nodiscard]] virtual std::string why_no_energy() const = 0;
  [[nodiscard]] virtual std::vector<std::string> names_of(std::uint64_t throttled) const = 0;

  [[nodiscard]] bool tells_energy() const { return !how().empty(); }
};

struct DeviceInfo;

/// A GPU's by NVML, or the host's processors' by RAPL; one that cannot be had says why.
[[nodiscard]] std::unique_ptr<PowerSource> make_power_source(const DeviceInfo& device);

}  // namespace minimod
