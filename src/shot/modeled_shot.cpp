#include "src/shot/modeled_shot.hpp"

#include "src/base/error.hpp"
#include "src/base/progress.hpp"
#include "src/device/profiling.hpp"
#include "src/shot/model_sections.hpp"
#include "src/shot/stop_requests.hpp"
#include "src/solver/watch.hpp"

namespace minimod {

namespace {

/// Steps between two looks of the host: so many that a GPU never waits for it, and few enough for a person.
constexpr int longest_batch = 64;
constexpr double batch_seconds = 0.25;

int samples_of_batch(const RunPlan& plan) {
  return longest_batch / plan.record_every + 2;
}

std::string remedy_of_growth(const BoundarySpec& boundary) {
  if (boundary.kind != BoundaryKind::pml) return "take a smaller --dt";
  return boundary.alpha ? "leave out --pml-alpha" : "take a wider layer or --boundary cpml";
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
  TraceBuffer traces(plan.receivers.size(), plan.samples());
  Watch watch(backend, plan.signal_end(), remedy_of_growth(plan.boundary.spec));
  propagator.record();
  int timed_batches = 0;
  for (int batch = 1; propagator.steps_done() < plan.steps;) {
    const int limit = propagator.steps_done() < plan.warmup ? plan.warmup : plan.steps;
    const int last = std::min(limit, propagator.steps_done() + batch);
    backend.mark(batch_start);
    while (propagator.steps_done() < last && !StopRequests::came()) {
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
      ++timed_batches;
    }
    progress.update(propagator.steps_done());
    if (seconds < batch_seconds / 2) batch = std::min(2 * batch, longest_batch);
  }
  watch.after_last_step(propagator);
  for (TimedPart& part : result.parts) part.seconds /= timed_batches;
  return std::move(traces.values());
}

Propagator prepare(const RunPlan& plan, const DeviceChoice& choice, SectionTaker& sections) {
  Propagator propagator(*choice.backend, plan.grid, plan.boundary, choice.kernels, plan.decomposition);
  const Grid& grid = plan.grid;
  const std::size_t plane = std::size_t(grid.n.x) * grid.n.y;
  propagator.set_velocity(plan.dt, [&](int z, float* values) {
    plan.medium.sample_plane(z, {values, plane});
    sections.take(z, {values, plane});
  });
  const int batch = samples_of_batch(plan);
  const bool between_nodes = plan.interpolation != Interpolation::nearest;
  std::vector<FedSource> sources;
  for (const PlannedSource& source : plan.sources) {
    sources.push_back({plan.place_of(source), source.wavelet->samples});
  }
  propagator.set_sources(sources, between_nodes);
  if (between_nodes) {
    std::vector<NodeWeights> places;
    places.reserve(plan.receivers.size());
    for (const Point3& receiver : plan.receivers) places.push_back(plan.place_of(receiver));
    propagator.set_receivers_between(places, batch);
  } else {
    propagator.set_receivers(plan.receiver_nodes, batch);
  }
  return propagator;
}

void finish(const RunPlan& plan, const KernelSet& kernels, const Propagator& propagator, RunResult& result) {
  const double steps = (plan.steps - plan.warmup) * 1e-9 / result.seconds;
  result.gpt_per_s = steps * static_cast<double>(plan.grid.n.points());
  result.gb_per_s = steps * bytes_of_a_step(plan.grid, plan.boundary.spec, kernels);
  result.extremes = propagator.extremes();
}

}  // namespace

double bytes_of_a_step(const Grid& grid, const BoundarySpec& boundary, const KernelSet& kernels) {
  const Regions regions = boundary.regions(grid.n);
  return inner_bytes_of(kernels) * static_cast<double>(regions.inner.points()) +
         pml_bytes_per_point * static_cast<double>(regions.pml_points()) +
         LayerCorrections::bytes_moved(grid, boundary);
}

ShotSize shot_size(const RunPlan& plan) {
  ShotSize size{0, plan.sources.size() * plan.steps, plan.receivers.size(), samples_of_batch(plan)};
  for (const PlannedSource& source : plan.sources) size.source_nodes += plan.place_of(source).count.points();
  return size;
}

ModeledShot model_shot(const RunPlan& plan, const DeviceChoice& choice,
                       const std::optional<StepRange>& profile_range) {
  ModeledShot shot;
  SectionTaker sections(plan);
  Propagator propagator = prepare(plan, choice, sections);
  shot.sections = std::move(sections.sections());
  shot.result.velocity_code = propagator.velocity_code();
  shot.traces = propagate(plan, *choice.backend, propagator, ProfiledSteps(*choice.backend, profile_range),
                          shot.result);
  finish(plan, choice.kernels, propagator, shot.result);
  return shot;
}

}  // namespace minimod
