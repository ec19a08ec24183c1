/// GPU kernels whose threads the host emulates one by one (`--emulate`), and what their speed is worth.
#pragma once

#include "src/device/backend.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// Said with every rate of emulated threads, which has no roof and wins no comparison.
inline constexpr const char* emulated_rate = "emulated: says nothing of a GPU";

/// Whether the device emulates the threads of a shape of the set.
[[nodiscard]] inline bool emulates(const DeviceInfo& device, const KernelSet& kernels) {
  return !device.is_gpu() && (kernels.inner->emulated || kernels.pml->emulated);
}

}  // namespace minimod
