#include "src/job/plan/time_plan.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/plan/plan.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {
namespace {

constexpr int most_steps = 100'000'000;  // the samples of the wavelet then take 0.8 GB

/// To three digits, so that it can be given as it is printed.
double rounded_down(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::floor(value / unit) * unit;
}

/// The greatest interval without aliasing that another run may have; where the time step is not given it may
/// be as long as the stability limit.
double greatest_interval(const TimeAxis& time, double dt_limit, double max_frequency, bool keeps_dt) {
  constexpr double margin = 1e-3;  // f_max is measured on the samples, which another time step has elsewhere
  double interval = (1 - margin) / (2 * max_frequency);
  if (keeps_dt) {
    int steps = std::max(1, static_cast<int>(interval / time.dt));
    while (steps > 1 && recorded_nyquist(time.dt, steps, time.dispersion) < max_frequency) --steps;
    return steps * time.dt;
  }
  const auto nyquist = [&](double record_dt) {
    const int steps = std::max(1, static_cast<int>(record_dt / dt_limit));
    return recorded_nyquist(record_dt / steps, steps, time.dispersion);
  };
  for (; nyquist(interval) * (1 - margin) < max_frequency; interval *= 1 - margin) {
  }
  return rounded_down(interval);
}

/// Limit of Δt of an equation with columns, whose model knows depths alone.
double limit_by_depth(const StepProblem& domain, const SampledMedium& medium) {
  const Extent3 n = domain.grid.n;
  const Grid column = make_grid({1, 1, n.z}, domain.grid.spacing, 0, domain.grid.difference());
  std::vector<float> plane(std::size_t(n.x) * n.y);
  std::vector<double> velocities;
  for (int z = 0; z < n.z; ++z) {
    medium.sample_plane(z, plane);
    velocities.push_back(plane.front());
  }
  return facts_of(domain.equation).dt_limit(column, columns_of(medium), [&](Index3 p) {
    return velocities[p.z];
  });
}

/// The Δt that is taken where none is given, by the model's own velocities: it leaves room for what the nodes
/// beside an interface have above them (models/band_limit.hpp). Without --record-dt one that the gather's
/// formats can say.
double automatic_dt(double limit, const ShotOptions& options, std::vector<std::string>& notes) {
  double dt = default_dt_fraction * limit;
  for (const GatherFormat* format : formats_of(options.output)) {
    if (options.time.record_dt) break;
    const double longest = format->limits.time_step(dt);
    if (longest < dt) {
      notes.push_back(text("for ", format->title, " the time step is ", format->limits.steps_are, ": ",
                           longest * 1e6, " us, not ", dt * 1e6, " us"));
    }
    dt = longest;
  }
  return dt;
}

/// Time of the first step, s: so early that no signature is cut off, and such that t = 0 is a sample of the
/// traces, or, in a format whose headers count it in units of which samples are no whole number apart (SEG-Y:
/// ms), a whole number of these before t = 0.
double first_time_of(const TimeStep& step, const ShotOptions& options, double earliest) {
  const bool may_be_before = options.time.zero == TimeZero::peak || !options.acquisition.inject.empty();
  if (!may_be_before || earliest >= 0) return 0;
  constexpr double rounding = 1e-9;
  double unit = step.dt * step.record_every;
  for (const GatherFormat* format : formats_of(options.output)) {
    const double counted = format->limits.unit_before_zero, parts = counted > 0 ? unit / counted : 1;
    if (std::abs(parts - std::round(parts)) >= rounding * parts) unit = counted;
  }
  return -std::ceil(-earliest / unit * (1 - rounding)) * unit;
}

int count_steps(const TimeOptions& o, double dt, double first) {
  const double steps =
      o.tmax ? std::ceil((*o.tmax - first) / dt * (1 - 1e-9)) : o.steps.value_or(papers_case::steps);
  if (steps > most_steps) {
    throw Error(ErrorKind::parameter, text(steps, " steps of ", dt, " s are asked for, over ", most_steps),
                text("take a smaller ", option("steps"), " or ", option("tmax")));
  }
  return std::max(1, static_cast<int>(steps));
}

/// The steps that are measured or profiled must be steps of the run, and some must be recorded: without, the
/// traces would be the first step's zeros.
void check_steps(const TimeOptions& o, const TimeAxis& time) {
  if (o.warmup.value_or(0) >= time.steps) {
    throw Error(ErrorKind::parameter,
                text(option("warmup"), " ", *o.warmup, " leaves none of ", time.steps, " steps"),
                text("give at most ", time.steps - 1));
  }
  if (o.profile_range && o.profile_range->end > time.steps) {
    throw Error(ErrorKind::parameter,
                text(option("profile-range"), " ends at step ", o.profile_range->end, " of ", time.steps),
                "give steps of the run");
  }
  if (!o.record_dt || time.record_every <= time.steps) return;
  throw Error(ErrorKind::data,
              text(option("record-dt"), " ", *o.record_dt, " s is longer than the run of ",
                   time.steps * time.dt, " s, of which the traces would have the first step alone"),
              "take a smaller one, or a longer run");
}

int record_every_of(double record_dt, double dt) {
  const double ratio = record_dt / dt;
  const int every = static_cast<int>(std::min(std::round(ratio), 1e9));
  if (every >= 1 && std::abs(ratio - every) <= 1e-6 * ratio) return every;
  throw Error(ErrorKind::parameter,
              text(option("record-dt"), " ", record_dt, " s is no multiple of the time step of ", dt, " s"),
              text("give ", dt * std::max(every, 1), " s, or leave out ", option("dt")));
}

}  // namespace

TimeStep make_time_step(const StepProblem& domain, const SampledMedium& medium, const ShotOptions& options) {
  const TimeOptions& o = options.time;
  const auto limit_at = [&](double velocity) {
    return stable_dt_limit(velocity, domain.grid.spacing, domain.grid.difference());
  };
  const bool is_wave = domain.equation == Equation::wave;
  TimeStep step;
  step.limit = is_wave ? limit_at(medium.v_highest()) : limit_by_depth(domain, medium);
  step.dt = o.dt ? *o.dt : automatic_dt(is_wave ? limit_at(medium.v_max()) : step.limit, options, step.notes);
  if (step.dt > step.limit) {
    throw Error(ErrorKind::data,
                text("the time step of ", step.dt, " s is over the stability limit of ", step.limit, " s at ",
                     medium.v_highest(), " m/s"),
                text("take a smaller ", option("dt"), " or ", option("dt"), " auto"));
  }
  if (!o.record_dt) return step;
  if (!o.dt) step.dt = *o.record_dt / std::ceil(*o.record_dt / step.dt);
  step.record_every = record_every_of(*o.record_dt, step.dt);
  return step;
}

TimeAxis make_time_axis(const TimeStep& step, const ShotOptions& options, double earliest) {
  const TimeOptions& o = options.time;
  const double first = first_time_of(step, options, earliest);
  const TimeDispersion usual = is_papers_case(options) ? TimeDispersion::as_is : TimeDispersion::corrected;
  const TimeAxis time{step.dt, count_steps(o, step.dt, first), first, o.dispersion.value_or(usual),
                      step.record_every};
  check_steps(o, time);
  for (const GatherFormat* format : formats_of(options.output))
    format->limits.require_sampling(time.record_dt(), time.samples());
  return time;
}

void refuse_aliasing(const TimeAxis& time, double dt_limit, double max_frequency, const TimeOptions& o) {
  if (!o.record_dt || time.record_every == 1) return;
  const double nyquist = recorded_nyquist(time.dt, time.record_every, time.dispersion);
  if (nyquist >= max_frequency) return;
  throw Error(
      ErrorKind::data,
      text(option("record-dt"), " ", *o.record_dt, " s has its Nyquist frequency at ", nyquist,
           " Hz, below f_max of the wavelet, ", max_frequency, " Hz: the traces would be aliased"),
      text("give at most ", greatest_interval(time, dt_limit, max_frequency, o.dt.has_value()), " s"));
}

}  // namespace minimod
