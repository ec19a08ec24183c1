#include "src/job/plan/recording.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

/// To three digits, so that it can be given as it is printed.
double rounded_down(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::floor(value / unit) * unit;
}

/// The greatest interval without aliasing that another run may have; where the time step is not given it may
/// be as long as the stability limit.
double greatest_interval(const RunPlan& plan, bool keeps_dt) {
  constexpr double margin = 1e-3;  // f_max is measured on the samples, which another time step has elsewhere
  double interval = (1 - margin) / (2 * plan.max_frequency);
  if (keeps_dt) {
    int steps = std::max(1, static_cast<int>(interval / plan.problem.dt));
    while (steps > 1 && recorded_nyquist(plan.problem.dt, steps, plan.dispersion) < plan.max_frequency)
      --steps;
    return steps * plan.problem.dt;
  }
  const auto nyquist = [&](double record_dt) {
    const int steps = std::max(1, static_cast<int>(record_dt / plan.dt_limit));
    return recorded_nyquist(record_dt / steps, steps, plan.dispersion);
  };
  for (; nyquist(interval) * (1 - margin) < plan.max_frequency; interval *= 1 - margin) {
  }
  return rounded_down(interval);
}

}  // namespace

void plan_recording(RunPlan& plan, const TimeOptions& o) {
  if (!o.record_dt) return;
  if (!o.dt) plan.problem.dt = *o.record_dt / std::ceil(*o.record_dt / plan.problem.dt);
  const double ratio = *o.record_dt / plan.problem.dt;
  plan.record_every = static_cast<int>(std::min(std::round(ratio), 1e9));
  if (plan.record_every < 1 || std::abs(ratio - plan.record_every) > 1e-6 * ratio) {
    throw Error(
        ErrorKind::parameter,
        text(option("record-dt"), " ", *o.record_dt, " s is no multiple of the time step of ",
             plan.problem.dt, " s"),
        text("give ", plan.problem.dt * std::max(plan.record_every, 1), " s, or leave out ", option("dt")));
  }
}

void require_recorded_steps(const RunPlan& plan, const TimeOptions& o) {
  if (!o.record_dt || plan.record_every <= plan.steps) return;
  throw Error(ErrorKind::data,
              text(option("record-dt"), " ", *o.record_dt, " s is longer than the run of ",
                   plan.steps * plan.problem.dt, " s, of which the traces would have the first step alone"),
              "take a smaller one, or a longer run");
}

void refuse_aliasing(const RunPlan& plan, const TimeOptions& o) {
  if (!o.record_dt || plan.record_every == 1) return;
  const double nyquist = recorded_nyquist(plan.problem.dt, plan.record_every, plan.dispersion);
  if (nyquist >= plan.max_frequency) return;
  throw Error(
      ErrorKind::data,
      text(option("record-dt"), " ", *o.record_dt, " s has its Nyquist frequency at ", nyquist,
           " Hz, below f_max of the wavelet, ", plan.max_frequency, " Hz: the traces would be aliased"),
      text("give at most ", greatest_interval(plan, o.dt.has_value()), " s"));
}

}  // namespace minimod
