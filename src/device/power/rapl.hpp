/// Energy of the host's processors by their own counters (RAPL), where the system lets them be read.
#pragma once

#include <filesystem>

#include "src/device/power/power_source.hpp"

namespace minimod {

/// `power`: folder of the counters, intel-rapl:0 and so on, which processors of AMD have, too; `cores`:
/// folder of the cores, of whose first one the clock is read.
[[nodiscard]] std::unique_ptr<PowerSource> make_rapl(
    const std::filesystem::path& power = "/sys/class/powercap",
    const std::filesystem::path& cores = "/sys/devices/system/cpu");

}  // namespace minimod
