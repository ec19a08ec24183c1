#include "src/job/shot/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "kernels/host/played_work.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/played.hpp"
#include "src/io/gather/gather.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/outputs/survey_facts.hpp"
#include "src/job/outputs/water_depth.hpp"
#include "src/job/plan/equation_options.hpp"
#include "src/job/plan/expected_echo.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/memory_check.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/job/shot/snapshot_recorder.hpp"
#include "src/ranks/start.hpp"
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

void print_reflection(const RunPlan& plan) {
  const auto found = plan.reflection();
  if (!found) return line("reflects", "all: there is no layer");
  line("reflects", text(std::lround(found->face), " dB at normal incidence, ", std::lround(found->corner),
                        " dB at a corner, ", std::lround(found->grazing), " dB along the layer (measured)"));
  const std::string other = plan.other_than_measured();
  if (!other.empty()) line("", "not as measured: " + other);
  line("echo", echo_fact(plan));
}

std::string trial_text(const TrialFacts& trial) {
  return text("the fastest of ", trial.sets,
              trial.is_earlier ? " in an earlier trial of " : " in a trial of ", trial.result.seconds, " s, ",
              trial.result.gpt_per_s, " Gpt/s");
}

void print_facts(const RunPlan& plan, const DeviceChoice& choice, std::size_t bytes_needed) {
  const Extent3 inner = plan.model_box.extent();
  const BoundarySpec& boundary = plan.boundary.spec;
  std::cout << "minimod " << build_info().version << " (" << build_info().git_hash << ")\n";
  line("grid", text(extent_text(plan.grid.n), " points, spacing ", point_text(plan.grid.spacing), " m, ",
                    difference_fact(plan.grid.difference()), ", ", precision_name(plan.grid.precision),
                    " precision; inner box ", extent_text(inner)));
  const bool has_velocity = boundary.kind != BoundaryKind::sponge;
  line("boundary", text(boundary_name(boundary.kind), ", ", plan.pml_width, " points",
                        has_velocity ? text(", made for ", boundary.velocity, " m/s") : "",
                        boundary.kind == BoundaryKind::pml ? text(", shift ", plan.boundary.alpha) : "",
                        boundary.free_surface ? "; free surface at z = 0" : "",
                        plan.layer_rule.empty() ? "" : "; " + plan.layer_rule));
  print_reflection(plan);
  if (!is_wave(plan.equation)) line("equation", equation_fact(plan.equation));
  line("model",
       text(plan.medium.model().name, ", ", plan.medium.v_min(), " to ", plan.medium.v_max(), " m/s"));
  if (plan.medium.model().from_file) line("file", model_file_text(plan));
  if (const auto kept = plan.kept_of_reflection()) {
    line("medium", text("band-limited for nodes ", plan.medium.band_spacing(), " m apart, up to ",
                        plan.medium.v_highest(), " m/s beside interfaces; a weak reflection at f_max ",
                        plan.max_frequency, " Hz keeps ", std::floor(100 * *kept), " % at normal incidence"));
  }
  line("time", text("dt ", plan.dt * 1e3, " ms, ", plan.dt / plan.dt_limit, " of the stability limit ",
                    plan.dt_limit * 1e3, " ms; ", plan.steps, " steps, ", time_span_fact(plan), "; ",
                    dispersion_fact(plan)));
  line("wavelet", wavelet_fact(plan));
  line("sampling", text(points_per_wavelength(plan.slowest(), plan.grid.spacing, plan.peak_frequency),
                        " points per wavelength at ", plan.peak_frequency, " Hz, ",
                        plan.points_per_wavelength, " at f_max ", plan.max_frequency,
                        " Hz; predicted phase error ", plan.predicted_phase_error() * 1e3, " ms at ",
                        plan.peak_frequency, " Hz after ", plan.greatest_offset(), " m"));
  line(plan.sources.size() == 1 ? "source" : "sources", source_fact(plan));
  line("receivers", receivers_fact(plan));
  if (!plan.snapshots.empty()) {
    const bool differ = plan.dispersion == TimeDispersion::corrected;
    line("snapshots", plan.snapshots.fact() + (differ ? "; their time dispersion as it is" : ""));
  }
  line("device", text(choice.device.name, ", ", choice.device.units,
                      choice.device.is_gpu() ? " multiprocessors" : " threads",
                      choice.device.cpu_level.empty() ? "" : ", " + choice.device.cpu_level));
  line("kernels", text(choice.kernels.inner->name, " (inner), ",
                       boundary.kind == BoundaryKind::pml ? choice.kernels.pml->name + " (PML)"
                                                          : boundary_name(boundary.kind) + " behind it",
                       choice.kernels.inner->emulated && !choice.device.is_gpu() ? ", emulated" : "",
                       choice.kernels.inner->compiled || choice.kernels.pml->compiled
                           ? ", compiled for this run or an earlier one"
                           : "",
                       "; schedule ", choice.kernels.schedule->name(),
                       choice.trial ? "; " + trial_text(*choice.trial) : ""));
  if (choice.idle && !choice.idle->note.empty()) line("note", choice.idle->note);
  line("memory", text(gib(bytes_needed), " GiB needed, ", gib(choice.backend->free_bytes()), " GiB free"));
  std::cout << std::flush;
}

/// Who has which planes, and how halos go between them.
void print_ranks(const RunPlan& plan, const ShotRunner& runner) {
  const auto transport = runner.transport();
  if (!transport) return;
  line("ranks", ranks_fact(plan.slabs, *transport, plan.layer_cost));
  std::cout << std::flush;
}

/// What it costs that the inner kernel reads (V Δt)² in 16 bits.
void print_velocity_error(const VelocityCode& code) {
  line("velocity", text("(V dt)^2 in 16 bits, error at most ", code.greatest_error(), " m^2 (relative ",
                        code.greatest_relative_error(), " at the least V)"));
  std::cout << std::flush;
}

/// Says for how long the host plays the shape's threads, where it does and for long.
void announce_played(const RunPlan& plan, const DeviceChoice& choice) {
  if (choice.device.is_gpu()) return;
  PlayedWork work;
  work.add_steps(*choice.kernels.inner, plan.grid.n, plan.steps);
  work.announce();
}

/// What is known of a layer that is not stable.
void print_growth(const RunPlan& plan) {
  constexpr double rough = 2;  // a smooth medium of such a contrast was stable, one from node to node not
  if (plan.boundary.spec.kind == BoundaryKind::pml && plan.pml_width > 0 &&
      plan.pml_width < least_absorbing_width && plan.medium.v_max() > rough * plan.medium.v_min()) {
    std::cerr << text("minimod: where V changes from node to node, a pml of under ", least_absorbing_width,
                      " points may grow by a tenth in 8,000 steps\n");
  }
  const auto growth = predicted_growth(plan.boundary, plan.grid.n, plan.grid.spacing, plan.dt);
  if (!growth) return;
  std::cerr << text("minimod: with a shift of ", plan.boundary.alpha, " the pml grows, by up to ",
                    growth->rate, " a second: past 1e-3 of the signal after some ",
                    std::llround(growth->seconds / plan.dt), " steps, of which the run has ", plan.steps,
                    '\n');
}

void print_result(const RunPlan& plan, const RunResult& result, bool is_played) {
  std::printf("kernels %.3f s, %.4g Gpt/s (inner + PML), %.4g GB/s at the counted bytes, ", result.seconds,
              result.gpt_per_s, result.gb_per_s);
  if (is_played) {
    std::printf("%s\n", played_rate);
  } else {
    std::printf("%.0f %% of the copy bandwidth (%.4g GB/s)\n", 100 * result.gb_per_s / result.stream.copy,
                result.stream.copy);
  }
  std::printf("wavefield min %.6e max %.6e after %d steps\n", result.extremes.min, result.extremes.max,
              plan.steps);
}

void write_gather(const ShotGather& gather, int shot, const ShotOutputs& outputs,
                  const OutputOptions& options) {
  if (!outputs.gather().empty()) write(gather, outputs.gather(), options.force);
  if (outputs.segy().empty()) return;
  const SegyFloats floats = options.segy_floats.value_or(SegyFloats::ieee);
  write_segy(gather, {floats, shot}, outputs.segy(), options.force);
}

/// What was interrupted goes on, where it is the same shot.
void go_on(CheckpointFiles& checkpoints, Configuration configuration, RunPlan& plan) {
  for (const std::string& note : checkpoints.notes()) std::cerr << "minimod: " << note << '\n';
  plan.date = checkpoints.date().value_or(plan.date);
  checkpoints.begin(std::move(configuration), plan.date);
  if (const auto step = checkpoints.step())
    line("goes on", text("after step ", *step, ", from a checkpoint"));
}

/// Everything is there, or the shot can go on with its last step, whatever comes in between.
void write_outputs(const RunPlan& plan, const DeviceChoice& choice, const ShotGather& gather,
                   const RunResult& result, const ShotOutputs& outputs, const OutputOptions& output) {
  if (takes_long_to_write(plan)) {
    StopRequests::end_at_once("stopped by a signal while writing; the same command goes on from there");
  }
  write_gather(gather, plan.shot, outputs, output);
  StopRequests::note();
  if (!output.json.empty()) write_record(make_record(plan, choice, result), output.json, output.force);
}

/// While several files get their names, one after the other, a checkpoint says whose they are. It goes where
/// none of them has come to it.
template <class Write>
void with_identity(CheckpointFiles& checkpoints, const ShotOutputs& outputs, Write write_all) {
  if (!outputs.are_several() || checkpoints.step()) return write_all();
  checkpoints.save_identity();
  try {
    write_all();
  } catch (const Error&) {
    const std::array files = {outputs.gather(), outputs.segy(), outputs.snapshots().hdf5};
    if (std::ranges::none_of(files, [&](const auto& file) { return checkpoints.are_of(file); }))
      checkpoints.remove();
    throw;
  }
}

}  // namespace

void run_shot(const ShotOptions& options) {
  Ranks& ranks = Ranks::world();
  OutputOptions output = options.output;
  check_kernels(options.kernels);
  RunPlan plan;
  ranks.together([&] { plan = make_plan(options, ranks.size()); });
  cut_domain(plan, options.ranks, ranks.size(), ranks.number());
  Configuration configuration = shared_configuration(plan);
  add_shot(configuration, plan);
  std::optional<CheckpointFiles> checkpoints;
  std::optional<ShotOutputs> outputs;  // of the first rank
  ranks.on_first([&] { outputs.emplace(options); });
  ranks.together([&] { checkpoints.emplace(checkpoints_of(output)); });
  ranks.on_first([&] {
    bool has_left = false;
    outputs->check([&](const std::filesystem::path& file) {
      const bool is_own = checkpoints->belong_to(file, configuration);
      has_left = has_left || is_own;
      return is_own || options.output.force;
    });
    output.force = output.force || has_left;
    checkpoints->check(configuration, output.force);
  });
  require_one_run(hash_of(configuration), ranks);
  DeviceChoice choice =
      choose_devices(options.kernels, options.ranks, plan.problem(), shot_size(plan), ranks);
  add_kernels(configuration, choice.kernels);
  cut_by_measured_cost(plan, options.ranks, choice, ranks, [&] { check_receivers_of_cut(plan); });
  ranks.together([&] { hold_slab(plan, *choice.kernels.schedule); });
  ranks.on_first([&] { checkpoints->check(configuration, output.force); });
  const bool have_one_memory = !choice.device.is_gpu() || options.ranks.share_gpu;
  std::size_t bytes = 0;
  ranks.together([&] {
    const int here = ranks.size_of_node();
    bytes = check_memory(plan, choice, shot_size(plan), {have_one_memory ? here : 1, here, 1});
    choice.idle = idle_facts(options.kernels, plan.problem(), choice);
  });
  ranks.on_first(
      [&] { check_disk(plan, options, outputs->gather().empty() ? outputs->segy() : outputs->gather()); });
  for (const auto* notes : {&std::as_const(choice).notes, &std::as_const(plan).notes}) {
    for (const std::string& note : *notes) std::cerr << "minimod: " << note << '\n';
  }
  print_facts(plan, choice, bytes);
  print_growth(plan);
  ranks.on_first([&] { announce_played(plan, choice); });
  plan.configuration = hash_of(configuration);
  go_on(*checkpoints, std::move(configuration), plan);

  const StreamRates stream = stream_rates_of(choice, ranks, Patience::of_a_run);
  ShotCompany company{{}, options.time.profile_range, {}, &*checkpoints, output.checkpoint_every};
  std::optional<SnapshotRecorder> snapshots;
  if (!plan.snapshots.empty()) {
    snapshots.emplace(plan, choice, outputs ? std::optional(outputs->snapshots()) : std::nullopt,
                      output.force);
    company.observers.push_back(&*snapshots);
  }
  StopRequests::note();
  ShotRunner runner(plan, choice);
  print_ranks(plan, runner);
  ModeledShot shot = runner.run(plan, company);
  shot.result.stream = stream;
  if (shot.result.velocity_code) print_velocity_error(*shot.result.velocity_code);
  ShotGather gather = make_gather(plan, choice, std::move(shot.traces), take_sections(plan, ranks));
  set_water_depths(gather, water_depths(plan, ranks));
  ranks.on_first([&] {
    with_identity(*checkpoints, *outputs, [&] {
      if (snapshots) snapshots->finish();
      write_outputs(plan, choice, gather, shot.result, *outputs, output);
    });
  });
  checkpoints->remove();
  print_result(plan, shot.result, plays(choice.device, choice.kernels));
  if (!ranks.is_first()) return;
  if (snapshots) std::cout << "snapshots " << outputs->snapshots().hdf5.string() << '\n';
  for (const auto& file : {outputs->gather(), outputs->segy()}) {
    if (!file.empty()) std::cout << "gather " << file.string() << '\n';
  }
}

}  // namespace minimod
