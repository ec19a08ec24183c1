/// Records of timed runs: seconds, rates, and what the device told of its power meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "src/job/outputs/power_record.hpp"
#include "src/measure/timing.hpp"

namespace minimod {

/// Power of several runs: medians, the least clock, the greatest temperature, all reasons.
[[nodiscard]] Json power_record(const TimedRuns& runs, const PowerSource& source, double points);

/// Members of a kernel that was timed: spreads of seconds and of points a second with the interval of the
/// median, and a row a run. `points`: those of the steps asked for. `power`: null where it was not measured.
[[nodiscard]] Json runs_record(const TimedRuns& runs, double points, const PowerSource* power);

}  // namespace minimod
