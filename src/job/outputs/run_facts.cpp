#include "src/job/outputs/run_facts.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>

#include "kernels/host/played_work.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/played.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/survey_facts.hpp"
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

void line(const char* name, const std::string& value) {
  std::cout << "  " << name << std::string(10 - std::string_view(name).size(), ' ') << value << '\n';
}

void print_grid(const RunPlan& plan) {
  line("grid", text(extent_text(plan.grid().n), " points, spacing ", point_text(plan.grid().spacing), " m, ",
                    difference_fact(plan.grid().difference()), ", ", precision_name(plan.grid().precision),
                    " precision; inner box ", extent_text(plan.model_box.extent())));
}

void print_boundary(const RunPlan& plan) {
  const BoundarySpec& boundary = plan.problem.domain.boundary;
  const bool has_velocity = facts_of(boundary.kind).knows_velocity;
  line("boundary",
       text(boundary_name(boundary.kind), ", ", plan.problem.layer_width(), " points",
            has_velocity ? text(", made for ", boundary.velocity, " m/s") : "",
            boundary.kind == BoundaryKind::pml ? text(", shift ", plan.problem.boundary.alpha) : "",
            boundary.free_surface ? "; free surface at z = 0" : "",
            plan.layer_rule.empty() ? "" : "; " + plan.layer_rule));
  const auto found = plan.reflection();
  if (!found) return line("reflects", "all: there is no layer");
  line("reflects", text(std::lround(found->face), " dB at normal incidence, ", std::lround(found->corner),
                        " dB at a corner, ", std::lround(found->grazing), " dB along the layer (measured)"));
  const std::string other = plan.other_than_measured();
  if (!other.empty()) line("", "not as measured: " + other);
  line("echo", echo_fact(plan));
}

void print_medium(const RunPlan& plan) {
  if (plan.problem.domain.equation != Equation::wave)
    line("equation", equation_fact(plan.problem.domain.equation));
  line("model",
       text(plan.medium->model().name, ", ", plan.medium->v_min(), " to ", plan.medium->v_max(), " m/s"));
  if (plan.medium->model().from_file) line("file", model_file_text(plan));
  if (const auto kept = plan.kept_of_reflection()) {
    line("medium", text("band-limited for nodes ", plan.medium->band_spacing(), " m apart, up to ",
                        plan.medium->v_highest(), " m/s beside interfaces; a weak reflection at f_max ",
                        plan.max_frequency, " Hz keeps ", std::floor(100 * *kept), " % at normal incidence"));
  }
}

void print_shot(const RunPlan& plan) {
  line("time", text("dt ", plan.problem.dt * 1e3, " ms, ", plan.problem.dt / plan.dt_limit,
                    " of the stability limit ", plan.dt_limit * 1e3, " ms; ", plan.steps, " steps, ",
                    time_span_fact(plan), "; ", dispersion_fact(plan)));
  line("wavelet", wavelet_fact(plan));
  line("sampling", text(points_per_wavelength(plan.slowest(), plan.grid().spacing, plan.peak_frequency),
                        " points per wavelength at ", plan.peak_frequency, " Hz, ",
                        plan.points_per_wavelength, " at f_max ", plan.max_frequency,
                        " Hz; predicted phase error ", plan.predicted_phase_error() * 1e3, " ms at ",
                        plan.peak_frequency, " Hz after ", plan.greatest_offset(), " m"));
  line(plan.shot.sources.size() == 1 ? "source" : "sources", source_fact(plan));
  line("receivers", receivers_fact(plan));
  if (!plan.snapshots.empty()) {
    const bool differ = plan.dispersion == TimeDispersion::corrected;
    line("snapshots", fact_of(plan.snapshots) + (differ ? "; their time dispersion as it is" : ""));
  }
}

std::string trial_text(const TrialFacts& trial) {
  return text("the fastest of ", trial.sets,
              trial.is_earlier ? " in an earlier trial of " : " in a trial of ", trial.result.seconds, " s, ",
              trial.result.gpt_per_s, " Gpt/s");
}

void print_kernels(const BoundaryKind boundary, const DeviceChoice& choice) {
  const CodeShape &inner = *choice.kernels.inner, &pml = *choice.kernels.pml;
  line("device", text(choice.device.name, ", ", choice.device.units,
                      choice.device.is_gpu() ? " multiprocessors" : " threads",
                      choice.device.cpu_level.empty() ? "" : ", " + choice.device.cpu_level));
  line("kernels",
       text(inner.name, " (inner), ",
            facts_of(boundary).has_formula ? pml.name + " (PML)" : boundary_name(boundary) + " behind it",
            inner.emulated && !choice.device.is_gpu() ? ", emulated" : "",
            inner.compiled || pml.compiled ? ", compiled for this run or an earlier one" : "", "; schedule ",
            choice.kernels.schedule->name(), choice.trial ? "; " + trial_text(*choice.trial) : ""));
  if (choice.idle && !choice.idle->note.empty()) line("note", choice.idle->note);
}

}  // namespace

void print_facts(const RunPlan& plan, const DeviceChoice& choice, std::size_t bytes_needed) {
  std::cout << "minimod " << build_info().version << " (" << build_info().git_hash << ")\n";
  print_grid(plan);
  print_boundary(plan);
  print_medium(plan);
  print_shot(plan);
  print_kernels(plan.problem.domain.boundary.kind, choice);
  line("memory", text(gib(bytes_needed), " GiB needed, ", gib(choice.backend->free_bytes()), " GiB free"));
  std::cout << std::flush;
}

void print_growth(const RunPlan& plan) {
  constexpr double rough = 2;  // a smooth medium of such a contrast was stable, one from node to node not
  if (plan.problem.domain.boundary.kind == BoundaryKind::pml && plan.problem.layer_width() > 0 &&
      plan.problem.layer_width() < least_absorbing_width &&
      plan.medium->v_max() > rough * plan.medium->v_min()) {
    tell(text("where V changes from node to node, a pml of under ", least_absorbing_width,
              " points may grow by a tenth in 8,000 steps"));
  }
  const auto growth =
      predicted_growth(plan.problem.boundary, plan.grid().n, plan.grid().spacing, plan.problem.dt);
  if (!growth) return;
  tell(text("with a shift of ", plan.problem.boundary.alpha, " the pml grows, by up to ", growth->rate,
            " a second: past 1e-3 of the signal after some ", std::llround(growth->seconds / plan.problem.dt),
            " steps, of which the run has ", plan.steps));
}

void announce_played(const RunPlan& plan, const DeviceChoice& choice) {
  if (choice.device.is_gpu()) return;
  PlayedWork work;
  work.add_steps(*choice.kernels.inner, plan.grid().n, plan.steps);
  work.announce();
}

void print_goes_on(std::optional<int> step) {
  if (step) line("goes on", text("after step ", *step, ", from a checkpoint"));
}

void print_ranks(const RunPlan& plan, std::optional<Transport> transport) {
  if (!transport) return;
  line("ranks", ranks_fact(plan.problem.cut.slabs, *transport, plan.problem.cut.layer_cost));
  std::cout << std::flush;
}

void print_velocity_error(const std::optional<VelocityCode>& code) {
  if (!code) return;
  line("velocity", text("(V dt)^2 in 16 bits, error at most ", code->greatest_error(), " m^2 (relative ",
                        code->greatest_relative_error(), " at the least V)"));
  std::cout << std::flush;
}

void print_result(const RunPlan& plan, const DeviceChoice& choice, const RunResult& result) {
  std::printf("kernels %.3f s, %.4g Gpt/s (inner + PML), %.4g GB/s at the counted bytes, ", result.seconds,
              result.gpt_per_s, result.gb_per_s);
  if (plays(choice.device, choice.kernels)) {
    std::printf("%s\n", played_rate);
  } else {
    std::printf("%.0f %% of the copy bandwidth (%.4g GB/s)\n", 100 * result.gb_per_s / result.stream.copy,
                result.stream.copy);
  }
  std::printf("wavefield min %.6e max %.6e after %d steps\n", result.extremes.min, result.extremes.max,
              plan.steps);
}

}  // namespace minimod
