#include "src/shot/modeled_shot.hpp"

#include <algorithm>
#include <limits>

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

/// The first step above `after` that an observer wants to look behind.
int next_look(const std::vector<StepObserver*>& observers, int after) {
  int next = std::numeric_limits<int>::max();
  for (const StepObserver* observer : observers) next = std::min(next, observer->next_step(after));
  return next;
}

void look(const std::vector<StepObserver*>& observers, const Propagator& propagator) {
  const int step = propagator.steps_done();
  for (StepObserver* observer : observers) {
    if (observer->next_step(step - 1) == step) observer->look(propagator, step);
  }
}

/// The time loop. Fills result.seconds and result.parts and returns the traces. Error 65 for a wavefield that
/// is not finite or grows.
std::vector<float> propagate(const RunPlan& plan, const ShotCompany& company, Backend& backend,
                             Propagator& propagator, RunResult& result) {
  std::optional<Progress> bar;
  if (!company.progress) bar.emplace(plan.steps, plan.grid.n.points());
  ProfiledSteps profiled(backend, company.profile_range);
  TraceBuffer traces(plan.receivers.size(), plan.samples());
  Watch watch(backend, plan.signal_end(), remedy_of_growth(plan.boundary.spec));
  propagator.record();
  look(company.observers, propagator);
  int timed_batches = 0;
  for (int batch = 1; propagator.steps_done() < plan.steps;) {
    const int done = propagator.steps_done(), limit = done < plan.warmup ? plan.warmup : plan.steps;
    const int last = std::min({limit, done + batch, next_look(company.observers, done)});
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
    look(company.observers, propagator);
    if (bar) {
      bar->update(last);
    } else {
      company.progress(last);
    }
    if (seconds < batch_seconds / 2) batch = std::min(2 * batch, longest_batch);
  }
  watch.after_last_step(propagator);
  for (TimedPart& part : result.parts) part.seconds /= timed_batches;
  return std::move(traces.values());
}

/// At rest, with the shot's source and receivers.
void set_shot(const RunPlan& plan, Propagator& propagator) {
  propagator.set_at_rest();
  propagator.resume(0, false);
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

ShotRunner::ShotRunner(const RunPlan& shared, const DeviceChoice& choice)
    : backend_(*choice.backend),
      kernels_(choice.kernels),
      propagator_(backend_, shared.grid, shared.boundary, kernels_, shared.decomposition) {
  const std::size_t plane = std::size_t(shared.grid.n.x) * shared.grid.n.y;
  propagator_.set_velocity(shared.dt, [&](int z, float* values) {
    shared.medium.sample_plane(z, {values, plane});
  });
}

ModeledShot ShotRunner::run(const RunPlan& plan, const ShotCompany& company) {
  ModeledShot shot;
  set_shot(plan, propagator_);
  shot.sections = take_sections(plan);
  shot.result.velocity_code = propagator_.velocity_code();
  shot.traces = propagate(plan, company, backend_, propagator_, shot.result);
  finish(plan, kernels_, propagator_, shot.result);
  return shot;
}

}  // namespace minimod
