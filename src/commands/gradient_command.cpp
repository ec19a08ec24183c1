#include <memory>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/commands/worker_ranks.hpp"
#include "src/job/gradient/gradient_run.hpp"
#include "src/job/gradient/gradient_worker.hpp"
#include "src/job/workers/worker_process.hpp"
#include "src/ranks/ranks.hpp"

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

using SharedOptions = std::shared_ptr<GradientOptions>;

void add_traces(OptionTable& table, const SharedOptions& gradient) {
  table.value("--observed", "FILE|FOLDER", groups::inversion,
              "observed traces: a gather in any format, or the folder of a survey", gradient->observed);
  table.value(
      "--window", "T0,T1[,TAPER]", groups::inversion,
      "times (s) that count, with a taper of that length outside (all)",
      [gradient](const auto& v, const auto& name) { gradient->misfit.window = parse_window(v, name); });
  table.value("--trace-weights", "FILE", groups::inversion,
              "factors of the traces' residuals, a line a receiver (1)", gradient->trace_weights);
}

void add_misfit(OptionTable& table, const SharedOptions& gradient) {
  table.value(
      "--misfit", "KIND", groups::inversion,
      "l2 (half the squared difference of the samples) or normalized (of traces over their norms) (l2)",
      [gradient](const auto& v, const auto& name) {
        gradient->misfit.kind = parse_choice(misfit_names, v, name);
      });
  table.value("--by", "PARAMETER", groups::inversion, "v (V, m/s) or slowness2 (1/V^2, s2/m2) (v)",
              [gradient](const auto& v, const auto& name) {
                gradient->by = parse_choice(gradient_by_names, v, name);
              });
  table.value("--write-residuals", "FILE|FOLDER", groups::inversion,
              "residuals in the window and by their weights as a gather, of several shots in a folder",
              gradient->residuals);
  table.value("--adjoint-sources", "FILE|FOLDER", groups::inversion,
              "in place of observed traces: the derivative of a misfit of yours by the traces, as gathers",
              gradient->adjoint_sources);
}

void add_condition(OptionTable& table, const SharedOptions& gradient) {
  ImageOptions& image = gradient->image.emplace();
  table.value("--condition", "KIND", groups::inversion,
              "cross (fields that meet) or inverse-scattering (less those that travel together) (cross)",
              [gradient](const auto& v, const auto& name) {
                gradient->image->condition = parse_choice(imaging_names, v, name);
              });
  table.flag("--compensate", groups::inversion, "divide the image by the source illumination",
             image.compensates);
  table.flag("--keep-direct", groups::inversion,
             "migrate the observed traces as they are, not less those that the model has",
             image.keeps_direct);
}

void add_history(OptionTable& table, const SharedOptions& gradient) {
  table.value(
      "--correlate-every", "STEPS|nyquist", groups::inversion,
      "steps of which one is correlated for all; nyquist: as many as the wavelet's f_max allows (1: the "
      "exact gradient)",
      [gradient](const auto& v, const auto& name) {
        gradient->every = v == "nyquist" ? 0 : static_cast<int>(parse_integer(v, name, 1, 1000000));
      });
  table.value("--memory", "GIB", groups::inversion,
              "for what is kept of a shot's steps, at most; with less, steps are computed again (most of "
              "what is free, of the host a worker's share)",
              [gradient](const auto& v, const auto& name) { gradient->memory = parse_positive(v, name); });
  table.value(
      "--history", "KIND", groups::inversion,
      "of a shot: auto (drives of all steps, or states along the way), boundary (steps are taken back from "
      "planes beside the inner box, exact but for rounding) or boundary16 (from these in 16 bits) (auto)",
      [gradient](const auto& v, const auto& name) {
        gradient->history = parse_choice(history_names, v, name);
      });
  table.value("--states-on", "FOLDER", groups::inversion,
              "keep states of a shot's steps, or its boundary, in files there, not in the host's memory",
              gradient->states_on);
}

/// The command whose own options `add_own` adds.
std::function<void()> prepare(OptionTable& table, const char* output,
                              void (*add_own)(OptionTable&, const SharedOptions&)) {
  const auto options = std::make_shared<ShotOptions>();
  const auto gradient = std::make_shared<GradientOptions>();
  add_shot(table, *options);
  options->output.name = output;
  add_traces(table, gradient);
  add_own(table, gradient);
  add_history(table, gradient);
  return [options, gradient] {
    const Ranks& ranks = Ranks::world();
    refuse_without_sources(*options);
    take_ranks_of_shot(*options);
    if (const auto device = worker_device(ranks)) {
      become_ranks_of_worker(*options, ranks);
      return work_on_gradient(*options, *gradient, *device);
    }
    check_ranks_of_workers(*options, ranks);
    run_gradient(*options, *gradient);
  };
}

std::function<void()> prepare_gradient(OptionTable& table) {
  return prepare(table, "gradient.h5", add_misfit);
}

std::function<void()> prepare_image(OptionTable& table) {
  return prepare(table, "image.h5", add_condition);
}

}  // namespace

Command gradient_command() {
  return {"gradient", "derive the misfit of shots by the velocities of the model", prepare_gradient, true};
}

Command image_command() {
  return {"image", "migrate shots: an image of the reflectors that their traces are from", prepare_image,
          true};
}

}  // namespace minimod
