/// The machine in records of reports: without names of a host, a user or a folder.
#pragma once

#include "src/base/json.hpp"
#include "src/device/backend.hpp"

namespace minimod {

/// Processors, memory, system: facts of the host.
[[nodiscard]] Json host_record();

/// A device by what `info` has of it, or why the program cannot use it.
[[nodiscard]] Json device_record(const DeviceKind& kind, int index);

/// Settings and state of a GPU, of which NVML knows; "why_not" where it tells nothing.
[[nodiscard]] Json gpu_state_record(const DeviceInfo& gpu);

}  // namespace minimod
