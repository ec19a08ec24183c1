/// NVIDIA's management library, opened when the program runs: no build needs it, and none fails without it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/device/power/power_source.hpp"

namespace minimod {

/// Settings and state of a GPU beside those that CUDA knows; nothing where the library or the card does not
/// tell.
struct GpuSettings {
  std::string driver;  ///< version of the driver
  std::optional<double> power_cap_watts, watts, celsius;
  std::optional<double> clock_mhz, most_clock_mhz, memory_clock_mhz, most_memory_clock_mhz;
  std::optional<bool> ecc, mig, persistence;
};

struct NvmlFunctions;

class Nvml {
 public:
  /// `file`: name of the library, as dlopen finds it. Where it cannot be had, why_none() says why.
  explicit Nvml(const std::string& file = "libnvidia-ml.so.1");
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] const std::string& why_none() const { return why_none_; }
  /// Settings and state of the GPU with that number of its bus; none where there is none.
  [[nodiscard]] std::optional<GpuSettings> settings(const std::string& pci_bus_id) const;
  /// Figures of that GPU, of the whole card where it is cut into parts (MIG). The library must outlive it.
  [[nodiscard]] std::unique_ptr<PowerSource> power_of(const std::string& pci_bus_id) const;

 private:
  std::unique_ptr<NvmlFunctions> functions_;
  std::string why_none_;
};

/// The library of this process, opened when it is asked for first.
[[nodiscard]] const Nvml& nvml();

}  // namespace minimod
