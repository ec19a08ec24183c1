#include <memory>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/gradient/gradient_run.hpp"

namespace minimod {

namespace {

/// "0.2,1.5" or "0.2,1.5,0.1".
TimeWindow parse_window(const std::string& value, const std::string& option) {
  const auto parts = split(value, ',');
  if (parts.size() == 2 || parts.size() == 3) {
    TimeWindow window{parse_number(parts[0], option), parse_number(parts[1], option), 0};
    if (parts.size() == 3) window.taper = parse_number(parts[2], option);
    if (window.first < window.last && window.taper >= 0) return window;
  }
  throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
              "give seconds as T0,T1 or T0,T1,TAPER, T0 before T1");
}

std::function<void()> prepare_gradient(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  const auto gradient = std::make_shared<GradientOptions>();
  add_shot(table, *options);
  options->output.name = "gradient.h5";
  table.value("--observed", "FILE|FOLDER", groups::inversion,
              "observed traces: a gather in any format, or the folder of a survey", gradient->observed);
  table.value(
      "--misfit", "KIND", groups::inversion,
      "l2 (half the squared difference of the samples) or normalized (of traces over their norms) (l2)",
      [gradient](const auto& v, const auto& name) {
        gradient->misfit.kind = parse_choice(misfit_names, v, name);
      });
  table.value(
      "--window", "T0,T1[,TAPER]", groups::inversion,
      "times (s) that count, with a taper of that length outside (all)",
      [gradient](const auto& v, const auto& name) { gradient->misfit.window = parse_window(v, name); });
  table.value("--by", "PARAMETER", groups::inversion, "v (V, m/s) or slowness2 (1/V^2, s2/m2) (v)",
              [gradient](const auto& v, const auto& name) {
                gradient->by = parse_choice(gradient_by_names, v, name);
              });
  table.value("--trace-weights", "FILE", groups::inversion,
              "factors of the traces' residuals, a line a receiver (1)", gradient->trace_weights);
  table.value("--write-residuals", "FILE|FOLDER", groups::inversion,
              "residuals in the window and by their weights as a gather, of several shots in a folder",
              gradient->residuals);
  table.value("--adjoint-sources", "FILE|FOLDER", groups::inversion,
              "in place of observed traces: the derivative of a misfit of yours by the traces, as gathers",
              gradient->adjoint_sources);
  table.value(
      "--correlate-every", "STEPS|nyquist", groups::inversion,
      "steps of which one is correlated for all; nyquist: as many as the wavelet's f_max allows (1: the "
      "exact gradient)",
      [gradient](const auto& v, const auto& name) {
        gradient->every = v == "nyquist" ? 0 : static_cast<int>(parse_integer(v, name, 1, 1000000));
      });
  table.value("--memory", "GIB", groups::inversion,
              "for what is kept of the shot's steps, at most; with less, steps are computed again (most of "
              "what is free)",
              [gradient](const auto& v, const auto& name) { gradient->memory = parse_positive(v, name); });
  return [options, gradient] {
    refuse_without_sources(*options);
    run_gradient(*options, *gradient);
  };
}

}  // namespace

Command gradient_command() {
  return {"gradient", "derive the misfit of shots by the velocities of the model", prepare_gradient};
}

}  // namespace minimod
