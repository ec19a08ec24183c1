/// The time axis of a run: Δt first, and the steps when it is known what is fed.
#pragma once

#include <string>
#include <vector>

#include "models/sampled_medium.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/solver/step_plan.hpp"
#include "src/wavelets/time_axis.hpp"

namespace minimod {

struct TimeStep {
  double dt = 0, limit = 0;  ///< s; the limit is stability's
  int record_every = 1;      ///< as in TimeAxis
  std::vector<std::string> notes;
};

/// Where no option sets it, a Δt that divides --record-dt. Errors: 64 an interval that is no multiple of Δt,
/// 65 a Δt over the limit.
[[nodiscard]] TimeStep make_time_step(const StepProblem& domain, const SampledMedium& medium,
                                      const ShotOptions& options);

/// Steps and samples, of which --tmax has those from t = 0 on. `earliest`: where the first of the signatures
/// begins, s. Errors: 64, 65 what does not fit the steps.
[[nodiscard]] TimeAxis make_time_axis(const TimeStep& step, const ShotOptions& options, double earliest);

/// Error 65 for an interval of samples whose Nyquist frequency is below f_max of the signatures (Hz), which
/// would turn up at other frequencies.
void refuse_aliasing(const TimeAxis& time, double dt_limit, double max_frequency, const TimeOptions& o);

}  // namespace minimod
