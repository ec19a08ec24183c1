#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/ranks/problem.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

/// "A:B".
StepRange parse_step_range(const std::string& value, const std::string& option) {
  const auto ends = split(value, ':');
  if (ends.size() != 2) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
                "give the first step and the one behind the last as A:B");
  }
  const int begin = parse_int(ends[0], option, 0, std::numeric_limits<int>::max() - 1);
  return {begin, parse_int(ends[1], option, begin + 1)};
}

}  // namespace

void add_steps(OptionTable& table, std::optional<int>& steps) {
  table.value("--steps", "N", groups::time, text("time steps (", papers_case::steps, ")"),
              [&steps](const auto& v, const auto& name) { steps = parse_int(v, name, 1); });
}

void add_warmup(OptionTable& table, std::optional<int>& warmup) {
  table.value("--warmup", "N", groups::time, "first steps, which the measured speed leaves out",
              [&warmup](const auto& v, const auto& name) { warmup = parse_int(v, name, 0); });
}

void add_profile_range(OptionTable& table, std::optional<StepRange>& range) {
  table.value("--profile-range", "A:B", groups::time,
              "switch a profiler that waits for it on before step A and off before step B",
              [&range](const auto& v, const auto& name) { range = parse_step_range(v, name); });
}

void add_time(OptionTable& table, TimeOptions& o) {
  add_steps(table, o.steps);
  table.value("--tmax", "T", groups::time, "time to reach in s, instead of --steps",
              [&o](const auto& v, const auto& name) { o.tmax = parse_positive(v, name); });
  table.value(
      "--time-zero", "Z", groups::time,
      "what t = 0 is: onset, the run's first step, or peak, the wavelet's greatest |s|; the run begins "
      "before it then (onset)",
      [&o](const auto& v, const auto& name) { o.zero = parse_choice(time_zero_names, v, name); });
  table.value("--dt", "DT", groups::time,
              text("time step in s, or auto: ", default_dt_fraction, " of the stability limit"),
              [&o](const auto& v, const auto& name) {
                if (v != "auto") o.dt = parse_positive(v, name);
              });
  table.value("--record-dt", "DT", groups::time,
              "sampling of the gather in s, a multiple of the time step, of 1 / (2 f_max) at most",
              [&o](const auto& v, const auto& name) { o.record_dt = parse_positive(v, name); });
  table.value(
      "--time-dispersion", "D", groups::time,
      "corrected: the steps in time leave no error in the traces, or as-is (corrected with --model, else "
      "as-is)",
      [&o](const auto& v, const auto& name) { o.dispersion = parse_choice(time_dispersion_names, v, name); });
  add_warmup(table, o.warmup);
  add_profile_range(table, o.profile_range);
}

}  // namespace minimod
