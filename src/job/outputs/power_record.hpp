/// Records of what a device told of its power, clocks and temperature.
#pragma once

#include "src/base/json.hpp"
#include "src/device/power/power_sampler.hpp"

namespace minimod {

/// Where figures of power come from, or why there are none: "how" and "why_not", one of them null.
[[nodiscard]] Json power_source_record(const PowerSource& source);

/// Watts, points a joule, clocks, temperature and what throttled the device; null for what it did not tell.
[[nodiscard]] Json power_record(const PowerFigures& figures, const PowerSource& source,
                                double points_per_second);

}  // namespace minimod
