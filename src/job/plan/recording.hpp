/// How often traces are sampled: which intervals fit the time step, the run and its signatures.
#pragma once

#include "src/job/plan/plan.hpp"

namespace minimod {

/// Lays plan.record_every and, where no option sets it, lowers the time step so that it divides --record-dt.
/// Error 64 for an interval that is no multiple of the time step.
void plan_recording(RunPlan& plan, const TimeOptions& o);

/// Error 65 for an interval of which the run has none: its traces would be the first step's zeros.
void require_recorded_steps(const RunPlan& plan, const TimeOptions& o);

/// Error 65 for an interval whose Nyquist frequency is below f_max of the signatures, which would turn up at
/// other frequencies. When both are planned.
void refuse_aliasing(const RunPlan& plan, const TimeOptions& o);

}  // namespace minimod
