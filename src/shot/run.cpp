#include "src/shot/run.hpp"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/host_memory.hpp"
#include "src/base/progress.hpp"
#include "src/device/profiling.hpp"
#include "src/shot/gather.hpp"
#include "src/shot/outputs.hpp"
#include "src/shot/record.hpp"
#include "src/solver/memory.hpp"
#include "src/solver/time_step.hpp"
#include "src/solver/watch.hpp"

namespace minimod {

namespace {

volatile std::sig_atomic_t stop_signal = 0;

/// What SIGINT and SIGTERM do while it lives: ask the time loop to stop after its step, and, once the gather
/// is being written, remove what there is of it and leave.
class StopRequests {
 public:
  StopRequests() {
    set([](int number) { stop_signal = number; });
  }
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  ~StopRequests() { set(SIG_DFL); }

  static void check(int steps_done, int steps) {
    if (stop_signal == 0) return;
    throw Error(ExitCode::stopped, text("stopped by a signal after step ", steps_done, " of ", steps),
                "nothing was written; run it again");
  }
  static void stop_at_once() {
    set([](int) {
      constexpr std::string_view line = "minimod: error: stopped by a signal while writing; run it again\n";
      remove_temporary();
      static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) == 0);
      _exit(static_cast<int>(ExitCode::stopped));
    });
  }

 private:
  static void set(void (*handler)(int)) {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, handler);
  }
};

double gib(std::size_t bytes) {
  return static_cast<double>(bytes) / (std::size_t{1} << 30U);
}

std::string extent_text(Extent3 n) {
  return text(n.x, " x ", n.y, " x ", n.z);
}
std::string point_text(Point3 p) {
  return text('(', p.x, ", ", p.y, ", ", p.z, ')');
}

/// Steps between two looks of the host: so many that a GPU never waits for it, and few enough for a person.
constexpr int longest_batch = 64;
constexpr double batch_seconds = 0.25;

int samples_of_batch(const RunPlan& plan) {
  return longest_batch / plan.record_every + 2;
}

ShotSize shot_size(const RunPlan& plan) {
  const std::size_t source_nodes =
      plan.interpolation == Interpolation::nearest ? 1 : plan.place_of(plan.survey.source).count.points();
  return {source_nodes, plan.wavelet.samples.size(), plan.nodes.receivers.size(), samples_of_batch(plan)};
}

/// The edge of the largest cube with such a layer, source and receivers that fits into `bytes`.
int largest_cube(std::size_t bytes, const RunPlan& plan, const DeviceChoice& choice) {
  const BoundarySpec& like = plan.boundary.spec;
  int fits = 0;
  for (int step = 1 << 14; step > 0; step /= 2) {
    const int n = fits + step, width = std::min(like.widths.bottom, n / 3);
    const BoundarySpec boundary = make_boundary_spec(like.kind, width, like.free_surface, 0, 0);
    StepProblem cube = plan.problem();
    cube.grid = make_grid({n, n, n}, {1, 1, 1}, boundary);
    cube.boundary = boundary;
    try {
      if (bytes_needed(*choice.backend, cube, choice.kernels, shot_size(plan)) <= bytes) fits = n;
    } catch (const Error&) {  // a kernel does not take that grid
    }
  }
  return fits;
}

/// Refuses before anything is allocated. Returns the bytes that the device needs.
std::size_t check_memory(const RunPlan& plan, const DeviceChoice& choice) {
  const std::size_t on_device =
      bytes_needed(*choice.backend, plan.problem(), choice.kernels, shot_size(plan));
  const std::size_t traces = plan.nodes.receivers.size() * plan.samples() * sizeof(float);
  const std::size_t free = choice.backend->free_bytes();
  const bool shared = choice.device.kind == "cpu";  // the fields and the traces have one memory
  const std::size_t needed = on_device + (shared ? traces : 0);
  if (needed > free) {
    const std::size_t beside = shared ? traces : 0;
    const int cube = on_device > free && free > beside ? largest_cube(free - beside, plan, choice) : 0;
    throw Error(
        ExitCode::resource,
        text("the run needs ", gib(needed), " GiB, ", gib(free), " GiB are free on ", choice.device.name),
        cube > 2 * stencil_radius ? text("the largest cube that fits is --grid ", cube)
                                  : "take fewer receivers or a larger --record-dt");
  }
  const std::size_t host = available_host_memory();
  if (!shared && traces > host) {
    throw Error(ExitCode::resource,
                text("the traces need ", gib(traces), " GiB, ", gib(host), " GiB are free"),
                "take fewer receivers or a larger --record-dt");
  }
  return on_device;
}

void line(const char* name, const std::string& value) {
  std::cout << "  " << name << std::string(10 - std::string_view(name).size(), ' ') << value << '\n';
}

void print_facts(const RunPlan& plan, const DeviceChoice& choice, std::size_t bytes_needed) {
  const Extent3 inner = plan.model_box.extent();
  const BoundarySpec& boundary = plan.boundary.spec;
  std::cout << "minimod " << build_info().version << " (" << build_info().git_hash << ")\n";
  line("grid", text(extent_text(plan.grid.n), " points, spacing ", point_text(plan.grid.spacing),
                    " m; inner box ", extent_text(inner)));
  const bool has_velocity = boundary.kind != BoundaryKind::sponge;
  line("boundary", text(boundary_name(boundary.kind), ", ", plan.pml_width, " points",
                        has_velocity ? text(", made for ", boundary.velocity, " m/s") : "",
                        boundary.kind == BoundaryKind::pml ? text(", shift ", plan.boundary.alpha) : "",
                        boundary.free_surface ? "; free surface at z = 0" : "", "; predicted reflection ",
                        plan.predicted_reflection(), " dB at normal incidence"));
  line("model", text(plan.model.name, ", ", plan.model.v_min, " to ", plan.model.v_max, " m/s"));
  line("time", text("dt ", plan.dt * 1e3, " ms, ", plan.dt / plan.dt_limit, " of the stability limit ",
                    plan.dt_limit * 1e3, " ms; ", plan.steps, " steps, ", plan.steps * plan.dt, " s"));
  line("wavelet", text(plan.wavelet.description, "; greatest at ", plan.wavelet.delay(), " s"));
  line("sampling", text(points_per_wavelength(plan.model.v_min, plan.grid.spacing, plan.peak_frequency),
                        " points per wavelength at ", plan.peak_frequency, " Hz, ",
                        plan.points_per_wavelength, " at f_max ", plan.wavelet.max_frequency,
                        " Hz; predicted phase error ", plan.predicted_phase_error() * 1e3, " ms at ",
                        plan.peak_frequency, " Hz after ", plan.greatest_offset(), " m"));
  line("survey",
       text("source at ", point_text(plan.survey.source), " m, ", plan.nodes.receivers.size(), " receivers, ",
            plan.samples(), " samples every ", plan.dt * plan.record_every * 1e3, " ms",
            plan.receivers_on_surface > 0
                ? text("; ", plan.receivers_on_surface, " receivers on the free surface record zeros")
                : ""));
  line("device", text(choice.device.name, ", ", choice.device.units,
                      choice.device.kind == "cuda" ? " multiprocessors" : " threads"));
  line("kernels",
       text(choice.kernels.inner->name, " (inner), ",
            boundary.kind == BoundaryKind::pml ? choice.kernels.pml->name + " (PML)"
                                               : boundary_name(boundary.kind) + " behind it",
            choice.kernels.inner->emulated && choice.device.kind == "cpu" ? ", emulated" : "", "; schedule ",
            choice.kernels.schedule->name(), choice.how.empty() ? "" : "; " + choice.how));
  line("memory", text(gib(bytes_needed), " GiB needed, ", gib(choice.backend->free_bytes()), " GiB free"));
  std::cout << std::flush;
}

std::string remedy_of_growth(const BoundarySpec& boundary) {
  if (boundary.kind != BoundaryKind::pml) return "take a smaller --dt";
  return boundary.alpha ? "leave out --pml-alpha" : "take a wider layer or --boundary cpml";
}

/// What is known of a layer that is not stable.
void print_growth(const RunPlan& plan) {
  constexpr double rough = 2;  // a smooth medium of such a contrast was stable, one from node to node not
  if (plan.boundary.spec.kind == BoundaryKind::pml && plan.pml_width == 3 &&
      plan.model.v_max > rough * plan.model.v_min) {
    std::cerr << "minimod: where V changes from node to node, a pml of 3 points may grow by a tenth in 8,000 "
                 "steps; one of 4 does not\n";
  }
  const auto growth = predicted_growth(plan.boundary, plan.grid.n, plan.grid.spacing, plan.dt);
  if (!growth) return;
  std::cerr << text("minimod: with a shift of ", plan.boundary.alpha, " the pml grows, by up to ",
                    growth->rate, " a second: past 1e-3 of the signal after some ",
                    std::llround(growth->seconds / plan.dt), " steps, of which the run has ", plan.steps,
                    '\n');
}

/// What it costs that the inner kernel reads (V Δt)² in 16 bits.
void print_velocity_error(const VelocityCode& code) {
  line("velocity", text("(V dt)^2 in 16 bits, error at most ", code.greatest_error(), " m^2 (relative ",
                        code.greatest_relative_error(), " at the least V)"));
  std::cout << std::flush;
}

/// The traces of a run as they come, a batch of samples at a time.
class TraceBuffer {
 public:
  TraceBuffer(std::size_t receivers, std::size_t samples) : samples_(samples), values_(receivers * samples) {}

  /// `batch` is [sample][receiver].
  void append(const std::vector<float>& batch) {
    const std::size_t receivers = values_.size() / samples_;
    for (std::size_t k = 0; k < batch.size() / receivers; ++k, ++filled_) {
      for (std::size_t r = 0; r < receivers; ++r) values_[r * samples_ + filled_] = batch[k * receivers + r];
    }
  }
  [[nodiscard]] std::vector<float>& values() { return values_; }

 private:
  std::size_t samples_, filled_ = 0;
  std::vector<float> values_;
};

constexpr int batch_start = most_launches + 1, batch_end = most_launches + 2;  // time marks

void add_parts(std::vector<TimedPart>& sums, const std::vector<TimedPart>& parts) {
  if (sums.empty()) sums.assign(parts.size(), {});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double before = sums[i].seconds;
    sums[i] = parts[i];
    sums[i].seconds += before;
  }
}

/// The time loop. Fills result.seconds and result.parts and returns the traces. Error 65 for a wavefield that
/// is not finite or grows.
std::vector<float> propagate(const RunPlan& plan, Backend& backend, Propagator& propagator,
                             ProfiledSteps profiled, RunResult& result) {
  Progress progress(plan.steps, plan.grid.n.points());
  TraceBuffer traces(plan.nodes.receivers.size(), plan.samples());
  Watch watch(backend, plan.wavelet.end(), remedy_of_growth(plan.boundary.spec));
  propagator.record();
  int timed_steps = 0;
  for (int batch = 1; propagator.steps_done() < plan.steps;) {
    const int limit = propagator.steps_done() < plan.warmup ? plan.warmup : plan.steps;
    const int last = std::min(limit, propagator.steps_done() + batch);
    backend.mark(batch_start);
    while (propagator.steps_done() < last && stop_signal == 0) {
      profiled.before(propagator.steps_done());
      propagator.step(propagator.steps_done() + 1 == last);
      if (propagator.steps_done() % plan.record_every == 0) propagator.record();
      watch.after_step(propagator);
    }
    backend.mark(batch_end);
    traces.append(propagator.fetch_batch());
    StopRequests::check(propagator.steps_done(), plan.steps);
    const double seconds = backend.seconds_between(batch_start, batch_end);
    if (last > plan.warmup) {
      result.seconds += seconds;
      add_parts(result.parts, propagator.timed_parts());
      ++timed_steps;
    }
    progress.update(propagator.steps_done());
    if (seconds < batch_seconds / 2) batch = std::min(2 * batch, longest_batch);
  }
  watch.after_last_step(propagator);
  for (TimedPart& part : result.parts) part.seconds /= timed_steps;
  return std::move(traces.values());
}

Propagator prepare(const RunPlan& plan, const DeviceChoice& choice) {
  Propagator propagator(*choice.backend, plan.grid, plan.boundary, choice.kernels, plan.decomposition);
  const Grid& grid = plan.grid;
  const std::size_t plane = std::size_t(grid.n.x) * grid.n.y;
  propagator.set_velocity(plan.dt, [&](int z, float* values) {
    sample_plane(plan.model, grid.n, grid.spacing, plan.model_box.begin, z, {values, plane});
  });
  const int batch = samples_of_batch(plan);
  if (plan.interpolation == Interpolation::nearest) {
    propagator.set_source(plan.nodes.source, plan.wavelet.samples);
    propagator.set_receivers(plan.nodes.receivers, batch);
  } else {
    propagator.set_source_between(plan.place_of(plan.survey.source), plan.wavelet.samples);
    std::vector<NodeWeights> places;
    places.reserve(plan.survey.receivers.size());
    for (const Point3& receiver : plan.survey.receivers) places.push_back(plan.place_of(receiver));
    propagator.set_receivers_between(places, batch);
  }
  return propagator;
}

void finish(const RunPlan& plan, const KernelSet& kernels, const Propagator& propagator, RunResult& result) {
  const double steps = (plan.steps - plan.warmup) * 1e-9 / result.seconds;
  result.gpt_per_s = steps * static_cast<double>(plan.grid.n.points());
  result.gb_per_s = steps * bytes_of_a_step(plan.grid, plan.boundary.spec, kernels);
  result.extremes = propagator.extremes();
}

void print_result(const RunPlan& plan, const RunResult& result) {
  std::printf(
      "kernels %.3f s, %.4g Gpt/s (inner + PML), %.4g GB/s at the counted bytes, %.0f %% of the copy "
      "bandwidth (%.4g GB/s)\n",
      result.seconds, result.gpt_per_s, result.gb_per_s, 100 * result.gb_per_s / result.stream.copy,
      result.stream.copy);
  std::printf("wavefield min %.6e max %.6e after %d steps\n", result.extremes.min, result.extremes.max,
              plan.steps);
}

}  // namespace

double bytes_of_a_step(const Grid& grid, const BoundarySpec& boundary, const KernelSet& kernels) {
  const Regions regions = boundary.regions(grid.n);
  return inner_bytes_of(kernels) * static_cast<double>(regions.inner.points()) +
         pml_bytes_per_point * static_cast<double>(regions.pml_points()) +
         LayerCorrections::bytes_moved(grid, boundary);
}

void run_shot(const ShotOptions& options) {
  const OutputOptions& output = options.output;
  check_kernels(options.kernels);
  const RunPlan plan = make_plan(options);
  const ShotOutputs outputs(options);
  const DeviceChoice choice = choose_device(options.kernels, plan.problem(), shot_size(plan));
  for (const std::string& note : choice.notes) std::cerr << "minimod: " << note << '\n';
  print_facts(plan, choice, check_memory(plan, choice));
  print_growth(plan);

  const StopRequests stop_requests;
  RunResult result;
  result.stream = choice.stream_rates();
  Propagator propagator = prepare(plan, choice);
  result.velocity_code = propagator.velocity_code();
  if (result.velocity_code) print_velocity_error(*result.velocity_code);
  std::vector<float> traces = propagate(plan, *choice.backend, propagator,
                                        ProfiledSteps(*choice.backend, options.time.profile_range), result);
  finish(plan, choice.kernels, propagator, result);
  StopRequests::stop_at_once();
  write(make_gather(plan, choice, std::move(traces)), outputs.gather(), output.force);
  if (!output.json.empty()) write_record(make_record(plan, choice, result), output.json, output.force);
  print_result(plan, result);
  std::cout << "gather " << outputs.gather().string() << '\n';
}

}  // namespace minimod
