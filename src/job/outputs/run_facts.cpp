#include "src/job/outputs/run_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "boundary/measured_reflection.hpp"
#include "kernels/host/emulated_work.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/emulated.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/plan/expected_echo.hpp"
#include "src/job/shot/memory_check.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

std::string extent_text(Extent3 n) {
  return text(n.x, " x ", n.y, " x ", n.z);
}
std::string point_text(Point3 p) {
  return text('(', p.x, ", ", p.y, ", ", p.z, ')');
}

/// "0..500", or "500" where all are there.
std::string range_of(const std::vector<Point3>& points, double Point3::*axis) {
  const auto [least, greatest] = std::ranges::minmax(points, {}, axis);
  return least.*axis == greatest.*axis ? text(least.*axis) : text(least.*axis, "..", greatest.*axis);
}

/// "101 in x 0..500, y 300, z 10 m".
std::string all_of(const std::vector<Point3>& points) {
  return text(points.size(), " in x ", range_of(points, &Point3::x), ", y ", range_of(points, &Point3::y),
              ", z ", range_of(points, &Point3::z), " m");
}

std::string move_fact(double metres, const char* where) {
  constexpr double rounding = 1e-6;  // rounding of a position, m
  return metres > rounding ? text(", moved by ", metres, where) : "";
}

void print_grid(const RunPlan& plan) {
  print_fact("grid",
             text(extent_text(plan.grid().n), " points, spacing ", point_text(plan.grid().spacing), " m, ",
                  difference_fact(plan.grid().difference()), ", ", precision_name(plan.grid().precision),
                  " precision; inner box ", extent_text(plan.medium->inner().extent())));
}

void print_boundary(const SurveyPlan& run) {
  const RunPlan& plan = run.shared;
  const BoundarySpec& boundary = plan.problem.domain.boundary;
  const BoundaryFacts& facts = facts_of(boundary.kind);
  print_fact("boundary", text(facts.name, ", ", plan.problem.layer_width(), " points",
                              facts.knows_velocity ? text(", made for ", boundary.velocity, " m/s") : "",
                              facts.has_formula ? text(", shift ", plan.problem.boundary.alpha) : "",
                              boundary.free_surface ? "; free surface at z = 0" : "",
                              run.layer_rule.empty() ? "" : "; " + run.layer_rule));
  const auto found = measured_reflection(boundary.kind, plan.problem.layer_width());
  if (!found) return print_fact("reflects", "all: there is no layer");
  print_fact("reflects",
             text(std::lround(found->face), " dB at normal incidence, ", std::lround(found->corner),
                  " dB at a corner, ", std::lround(found->grazing), " dB along the layer (measured)"));
  const std::string other = plan.other_than_measured();
  if (!other.empty()) print_fact("", "not as measured: " + other);
  print_fact("echo", echo_fact(plan, run.echo));
}

void print_medium(const RunPlan& plan) {
  if (plan.problem.domain.equation != Equation::wave)
    print_fact("equation", equation_fact(plan.problem.domain.equation));
  print_fact("model", text(plan.medium->model().name, ", ", plan.medium->v_min(), " to ",
                           plan.medium->v_max(), " m/s"));
  if (plan.medium->model().from_file) print_fact("file", model_file_text(*plan.medium));
  if (plan.change) print_fact("change", plan.change->name + "; traces are what it adds to first order");
  if (const auto kept = plan.kept_of_reflection()) {
    print_fact("medium", text("band-limited for nodes ", plan.medium->band_spacing(), " m apart, up to ",
                              plan.medium->v_highest(), " m/s beside interfaces; a weak reflection at f_max ",
                              plan.signals.max_frequency, " Hz keeps ", std::floor(100 * *kept),
                              " % at normal incidence"));
  }
}

std::string wavelet_fact(const Shot& shot) {
  const Wavelet& first = shot.wavelet();
  if (shot.injection) return first.description;
  const auto others = std::ranges::count_if(
      shot.sources, [&](const PlannedSource& source) { return source.wavelet.get() != &first; });
  const auto [least, greatest] = std::ranges::minmax(shot.sources, {}, &PlannedSource::amplitude);
  const bool all_as_given = least.amplitude == 1 && greatest.amplitude == 1;
  return text(first.description, "; greatest at ", first.delay(), " s",
              others == 0 ? "" : text("; ", others, " sources have others"),
              all_as_given ? "" : text("; times ", least.amplitude, " to ", greatest.amplitude));
}

std::string source_fact(const Problem& problem, const Shot& shot) {
  const bool is_one = shot.sources.size() == 1, at_node = shot.interpolation == Interpolation::nearest;
  std::vector<Point3> used;
  for (std::size_t i = 0; i < shot.sources.size(); ++i) used.push_back(shot.source_position(problem, i));
  const Point3 p = used.front();
  return text(
      is_one ? text('(', p.x, ", ", p.y, ", ", p.z, ") m") : all_of(used),
      move_fact(shot.moves.source, is_one ? " m to the nearest node" : " m at most to the nearest nodes"),
      at_node ? ""
              : text("; ", is_one ? "it" : "they", " and the receivers between the nodes by ",
                     interpolation_name(shot.interpolation), ", ", 2 * half_width(shot.interpolation),
                     " nodes an axis"));
}

std::string receivers_fact(const Problem& problem, const Shot& shot, bool default_line) {
  std::vector<Point3> used;
  used.reserve(shot.receivers.size());
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) used.push_back(shot.receiver_position(problem, i));
  const std::string on_surface =
      shot.receivers_on_surface > 0
          ? text("; ", shot.receivers_on_surface, " receivers on the free surface record zeros")
          : "";
  const bool below_surface = default_line && problem.domain.boundary.free_surface;
  return text(all_of(used), below_surface ? ", a node below the free surface" : "",
              move_fact(shot.moves.receivers, " m at most to the nearest nodes"), "; ",
              problem.time.samples(), " samples every ", problem.time.record_dt() * 1e3, " ms", on_surface);
}

void print_shot(const RunPlan& plan, const Shot& shot, bool default_line) {
  const Problem& problem = plan.problem;
  const TimeAxis& time = plan.time();
  const double peak = plan.signals.peak_frequency,
               slowest = slowest_of(*plan.medium, problem.domain.equation),
               offset = shot.greatest_offset(problem);
  print_fact("time", text("dt ", time.dt * 1e3, " ms, ", time.dt / plan.dt_limit, " of the stability limit ",
                          plan.dt_limit * 1e3, " ms; ", time.steps, " steps, ", time_span_fact(time), "; ",
                          dispersion_fact(time)));
  print_fact("wavelet", wavelet_fact(shot));
  print_fact("sampling",
             text(points_per_wavelength(slowest, plan.grid().spacing, peak), " points per wavelength at ",
                  peak, " Hz, ", plan.signals.points_per_wavelength, " at f_max ", plan.signals.max_frequency,
                  " Hz; predicted phase error ", plan.predicted_phase_error(offset) * 1e3, " ms at ", peak,
                  " Hz after ", offset, " m"));
  print_fact(shot.sources.size() == 1 ? "source" : "sources", source_fact(problem, shot));
  print_fact("receivers", receivers_fact(problem, shot, default_line));
  if (!plan.snapshots.empty()) {
    const bool differ = time.dispersion == TimeDispersion::corrected;
    print_fact("snapshots", fact_of(plan.snapshots) + (differ ? "; their time dispersion as it is" : ""));
  }
}

std::string trial_text(const TrialFacts& trial) {
  return text("the fastest of ", trial.sets,
              trial.is_earlier ? " in an earlier trial of " : " in a trial of ", trial.result.seconds, " s, ",
              trial.result.gpt_per_s, " Gpt/s");
}

void print_kernels(const BoundaryKind boundary, const DeviceChoice& choice) {
  const CodeShape &inner = *choice.kernels.inner, &pml = *choice.kernels.pml;
  print_fact("device", text(choice.device.name, ", ", choice.device.units,
                            choice.device.is_gpu() ? " multiprocessors" : " threads",
                            choice.device.cpu_level.empty() ? "" : ", " + choice.device.cpu_level));
  print_fact(
      "kernels",
      text(inner.name, " (inner), ",
           facts_of(boundary).has_formula ? pml.name + " (PML)" : boundary_name(boundary) + " behind it",
           inner.emulated && !choice.device.is_gpu() ? ", emulated" : "",
           inner.compiled || pml.compiled ? ", compiled for this run or an earlier one" : "", "; schedule ",
           choice.kernels.schedule->name(), choice.trial ? "; " + trial_text(*choice.trial) : ""));
  if (choice.idle && !choice.idle->note.empty()) print_fact("note", choice.idle->note);
}

}  // namespace

void print_fact(const char* name, const std::string& value) {
  std::cout << "  " << name << std::string(10 - std::string_view(name).size(), ' ') << value << '\n';
}

std::string time_span_fact(const TimeAxis& time) {
  const double end = time.at(time.steps);
  return time.first == 0 ? text(end, " s") : text(time.first, " to ", end, " s");
}

std::string difference_fact(Difference difference) {
  const std::string order = text("order ", 2 * difference.radius);
  return difference.weights == StarWeights::taylor ? order : order + " by minimax weights";
}

std::string dispersion_fact(const TimeAxis& time) {
  return time.dispersion == TimeDispersion::corrected ? "time dispersion corrected in wavelet and traces"
                                                      : "time dispersion as it is";
}

void print_plan(const SurveyPlan& run) {
  const RunPlan& plan = run.shared;
  std::cout << "minimod " << build_info().version << " (" << build_info().git_hash << ")\n";
  print_grid(plan);
  print_boundary(run);
  print_medium(plan);
  print_shot(plan, run.first, run.default_line);
}

void print_facts(const SurveyPlan& run, const DeviceChoice& choice, std::size_t bytes_needed) {
  print_plan(run);
  print_kernels(run.shared.problem.domain.boundary.kind, choice);
  print_fact("memory",
             text(gib(bytes_needed), " GiB needed, ", gib(choice.backend->free_bytes()), " GiB free"));
  std::cout << std::flush;
}

void print_growth(const RunPlan& plan) {
  constexpr double rough = 2;  // a smooth medium of such a contrast was stable, one from node to node not
  if (facts_of(plan.problem.domain.boundary.kind).has_formula && plan.problem.layer_width() > 0 &&
      plan.problem.layer_width() < least_absorbing_width &&
      plan.medium->v_max() > rough * plan.medium->v_min()) {
    tell(text("where V changes from node to node, a pml of under ", least_absorbing_width,
              " points may grow by a tenth in 8,000 steps"));
  }
  const auto growth =
      predicted_growth(plan.problem.boundary, plan.grid().n, plan.grid().spacing, plan.time().dt);
  if (!growth) return;
  tell(text("with a shift of ", plan.problem.boundary.alpha, " the pml grows, by up to ", growth->rate,
            " a second: past 1e-3 of the signal after some ", std::llround(growth->seconds / plan.time().dt),
            " steps, of which the run has ", plan.time().steps));
}

void announce_emulated(const Problem& problem, const DeviceChoice& choice) {
  if (choice.device.is_gpu()) return;
  EmulatedWork work;
  work.add_steps(*choice.kernels.inner, problem.grid().n, problem.time.steps);
  work.announce();
}

void print_goes_on(std::optional<int> step) {
  if (step) print_fact("goes on", text("after step ", *step, ", from a checkpoint"));
}

void print_ranks(const DomainCut& cut, std::optional<Transport> transport) {
  if (!transport) return;
  print_fact("ranks", ranks_fact(cut.slabs, *transport, cut.layer_cost));
  std::cout << std::flush;
}

void print_velocity_error(const std::optional<VelocityCode>& code) {
  if (!code) return;
  print_fact("velocity", text("(V dt)^2 in 16 bits, error at most ", code->greatest_error(),
                              " m^2 (relative ", code->greatest_relative_error(), " at the least V)"));
  std::cout << std::flush;
}

void print_result(const DeviceChoice& choice, const RunResult& result, int steps) {
  std::printf("kernels %.3f s, %.4g Gpt/s (inner + PML), %.4g GB/s at the counted bytes", result.seconds,
              result.gpt_per_s, result.gb_per_s);
  if (emulates(choice.device, choice.kernels)) {
    std::printf(", %s", emulated_rate);
  } else if (result.stream) {
    std::printf(", %.0f %% of the copy bandwidth (%.4g GB/s)", 100 * result.gb_per_s / result.stream->copy,
                result.stream->copy);
  }
  std::printf("\n");
  std::printf("wavefield min %.6e max %.6e after %d steps\n", result.extremes.min, result.extremes.max,
              steps);
}

}  // namespace minimod
