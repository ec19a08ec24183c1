#include "src/job/shot/modeled_shot.hpp"

#include <algorithm>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/process/threads.hpp"
#include "src/base/timer.hpp"
#include "src/device/profiling.hpp"
#include "src/device/stopwatch.hpp"
#include "src/job/plan/plan.hpp"
#include "src/job/plan/run_scale.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/solver/watch.hpp"

namespace minimod {

namespace {

/// Steps between two looks of the host: so many that a GPU never waits for it, and few enough for a person.
constexpr int longest_batch = 64;
constexpr double batch_seconds = 0.25;

std::string remedy_of_growth(const BoundarySpec& boundary) {
  if (!facts_of(boundary.kind).has_formula) return "take a smaller " + option("dt");
  return boundary.alpha ? "leave out " + option("pml-alpha")
                        : text("take a wider layer or ", option("boundary"), " cpml");
}

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

void set_at_rest(Propagator& propagator) {
  propagator.set_at_rest();
  propagator.resume(0, false);
}

/// The way of a shot through its steps. Fills seconds, steps and parts of the result.
class TimeLoop {
 public:
  TimeLoop(const Problem& problem, const Shot& shot, const ShotHooks& hooks, Ranks& ranks,
           ReceiverShare& receivers, Backend& backend, Propagator& propagator, RunResult& result)
      : problem_(problem),
        shot_(shot),
        hooks_(hooks),
        ranks_(ranks),
        receivers_(receivers),
        backend_(backend),
        propagator_(propagator),
        result_(result),
        batch_time_(backend),
        profiled_(backend, hooks.profile_range),
        traces_(shot.receivers.size(), problem.time.samples(), problem.grid().precision),
        watch_(backend, shot.signal_end(), remedy_of_growth(problem.domain.boundary), shot.scale) {}

  /// From rest, or from a checkpoint to the last step. Errors: 65 a wavefield that is not finite or
  /// grows, 75.
  void run() {
    go_on_or_start();
    if (!hooks_.progress && ranks_.is_first()) {
      bar_.emplace(problem_.time.steps, problem_.grid().n.points(), first_step_);
    }
    while (propagator_.steps_done() < problem_.time.steps) {
      if (ranks_.any(is_stopped())) stop();
      advance(batch_);
      if (is_due()) save_or_tell();
    }
    append_waiting();
    watch_.after_last_step(propagator_);
    for (TimedPart& part : result_.parts) part.seconds /= timed_batches_;
    if (hooks_.checkpoints != nullptr && ranks_.from_first(takes_long_to_write(problem_, shot_)))
      save_or_tell();
  }

  [[nodiscard]] Reals& traces() { return traces_.values(); }

 private:
  void go_on_or_start() {
    const bool has_some = hooks_.checkpoints != nullptr && hooks_.checkpoints->step();
    if (ranks_.from_first(has_some) && goes_on()) return;
    set_at_rest(propagator_);
    propagator_.record();
    look(hooks_.observers, propagator_);
  }

  /// False where nothing can be gone on from: then the fields are lost.
  bool goes_on() {
    try {
      if (hooks_.checkpoints->restore(propagator_, traces_, watch_)) {
        first_step_ = propagator_.steps_done();
        require_samples_of(first_step_);
        for (StepObserver* observer : hooks_.observers) observer->go_on(first_step_);
        return true;
      }
      tell("no checkpoint can be read back: the shot starts anew");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      tell(text(error.what(), ": the shot starts anew"));
    }
    traces_.set_filled(0);
    first_step_ = 0;
    return false;
  }

  /// A checkpoint whose seal is right may contradict itself all the same.
  void require_samples_of(int step) const {
    if (step <= problem_.time.steps &&
        traces_.filled() == static_cast<std::size_t>(step / problem_.time.record_every) + 1)
      return;
    throw Error(ErrorKind::data,
                text("a checkpoint after step ", step, " of ", problem_.time.steps, " has ", traces_.filled(),
                     " samples"),
                "it counts for nothing");
  }

  /// At most so many steps more, as far as nobody has to look before, and one at least.
  void advance(int steps) {
    const int done = propagator_.steps_done(),
              limit = done < hooks_.warmup ? hooks_.warmup : problem_.time.steps;
    const int last = std::min({limit, done + steps, next_look(hooks_.observers, done)});
    batch_time_.start();
    do {
      profiled_.before(propagator_.steps_done());
      if (hooks_.companion != nullptr) hooks_.companion->before_step(propagator_);
      propagator_.step(propagator_.steps_done() + 1 == last);
      if (hooks_.companion != nullptr) hooks_.companion->after_step(propagator_);
      if (propagator_.steps_done() % problem_.time.record_every == 0) propagator_.record();
      watch_.after_step(propagator_);
    } while (propagator_.steps_done() < last && !(ranks_.is_alone() && is_stopped()));
    batch_time_.lap();
    append_waiting();
    waiting_ = &receivers_.join(propagator_.fetch_batch());
    const double seconds = batch_time_.seconds();
    if (propagator_.steps_done() == last && last > hooks_.warmup) count(seconds, last - done);
    look(hooks_.observers, propagator_);
    show();
    if (ranks_.from_first(seconds) < batch_seconds / 2) batch_ = std::min(2 * batch_, longest_batch);
  }

  /// Puts the last batch into the traces: while a GPU is at the next one.
  void append_waiting() {
    if (waiting_ != nullptr) traces_.append(*waiting_);
    waiting_ = nullptr;
  }

  [[nodiscard]] bool is_stopped() const {
    return StopRequests::came() || (hooks_.is_stopped && hooks_.is_stopped());
  }

  void count(double seconds, int steps) {
    result_.seconds += seconds;
    result_.steps += steps;
    add_parts(result_.parts, propagator_.timed_parts());
    ++timed_batches_;
  }

  void show() {
    if (bar_) {
      bar_->update(propagator_.steps_done());
    } else if (hooks_.progress) {
      hooks_.progress(propagator_.steps_done());
    }
  }

  [[nodiscard]] bool is_due() const {
    if (hooks_.checkpoints == nullptr || hooks_.checkpoint_every == 0) return false;
    return ranks_.from_first(since_save_.seconds() >= hooks_.checkpoint_every);
  }

  /// Where no step is computed ahead, so that any schedule may go on, what the observers have taken is put on
  /// disk, and then the state that follows it.
  void save() {
    keep_observed();
    save_state();
  }

  void keep_observed() {
    if (propagator_.is_ahead() && propagator_.steps_done() < problem_.time.steps) advance(1);
    for (StepObserver* observer : hooks_.observers) observer->keep();
  }

  void save_state() {
    append_waiting();
    hooks_.checkpoints->save(propagator_, traces_, watch_);
    since_save_ = Timer();
  }

  /// A run does not end because a checkpoint of it cannot be written; it does where snapshots are lost.
  void save_or_tell() {
    keep_observed();
    try {
      save_state();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::data || error.kind() == ErrorKind::resource) throw;
      tell(text("no checkpoint after step ", propagator_.steps_done(), ": ", error.what()));
      since_save_ = Timer();
    }
  }

  [[noreturn]] void stop() {
    std::string remedy = "nothing was written; run it again";
    if (hooks_.checkpoints != nullptr && propagator_.steps_done() > 0) {
      remedy = "the same command goes on from there";
      try {
        if (propagator_.steps_done() > first_step_) save();
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::data) throw;
        remedy = text("no checkpoint: ", error.what());
      }
    }
    throw Error(
        ErrorKind::stopped,
        text("stopped by a signal after step ", propagator_.steps_done(), " of ", problem_.time.steps),
        remedy);
  }

  const Problem& problem_;
  const Shot& shot_;
  const ShotHooks& hooks_;
  Ranks& ranks_;
  ReceiverShare& receivers_;
  Backend& backend_;
  Propagator& propagator_;
  RunResult& result_;
  Stopwatch batch_time_;
  ProfiledSteps profiled_;
  TraceBuffer traces_;
  const Reals* waiting_ = nullptr;  ///< the batch that was fetched last, until it is in the traces
  Watch watch_;
  std::optional<Progress> bar_;
  Timer since_save_;
  int first_step_ = 0, batch_ = 1, timed_batches_ = 0;
};

void set_sources(const Problem& problem, const Shot& shot, Propagator& propagator) {
  FedSources sources;
  sources.steps = static_cast<std::size_t>(problem.time.steps);
  for (const PlannedSource& source : shot.sources) {
    sources.places.push_back(in_slab(shot.place_of(problem, source), problem.slab()));
  }
  sources.samples = shot.feed(problem.time);
  propagator.set_sources(std::move(sources));
}

void set_receivers(const Problem& problem, const Shot& shot, const ReceiverShare& receivers,
                   Propagator& propagator) {
  const Slab slab = problem.slab();
  const int batch = samples_of_batch(problem.time);
  if (shot.interpolation != Interpolation::nearest) {
    propagator.set_receivers_between(places_in_slab(problem, shot, receivers.mine()), batch);
  } else {
    std::vector<Index3> nodes;
    nodes.reserve(receivers.mine().size());
    for (const int i : receivers.mine()) {
      const Index3 node = shot.receiver_nodes[i];
      nodes.push_back({node.x, node.y, node.z - slab.begin});
    }
    propagator.set_receivers(nodes, batch);
  }
}

}  // namespace

void finish_result(const Problem& problem, const Shot& shot, const KernelSet& kernels,
                   const Propagator& propagator, RunResult& result) {
  const double steps = result.steps == 0 ? 0 : result.steps * 1e-9 / result.seconds;
  result.gpt_per_s = steps * static_cast<double>(problem.grid().n.points());
  result.gb_per_s = steps * bytes_of_a_step(problem.grid(), problem.domain.boundary, kernels);
  result.extremes = propagator.extremes();
  result.extremes.min *= shot.scale;
  result.extremes.max *= shot.scale;
}

void finish_traces(Reals& traces, const Problem& problem, const Shot& shot) {
  const TimeAxis& time = problem.time;
  if (time.dispersion == TimeDispersion::corrected) correct_traces(traces, time.samples(), time.record_every);
  if (shot.scale != 1) scale_traces(traces, shot.scale);
}

int samples_of_batch(const TimeAxis& time) {
  return longest_batch / time.record_every + 2;
}

double bytes_of_a_step(const Grid& grid, const BoundarySpec& boundary, const KernelSet& kernels) {
  const Regions regions = boundary.regions(grid.n);
  return inner_bytes_of(kernels) * static_cast<double>(regions.inner.points()) +
         pml_bytes_of(kernels) * static_cast<double>(regions.pml_points()) +
         LayerCorrections::bytes_moved(grid, boundary, kernels.inner->equation);
}

ShotSize shot_size(const Problem& problem, const Shot& shot) {
  ShotSize size{0, shot.sources.size() * problem.time.steps, shot.receivers.size(),
                samples_of_batch(problem.time)};
  for (const PlannedSource& source : shot.sources)
    size.source_nodes += shot.place_of(problem, source).count.points();
  return size;
}

bool takes_long_to_write(const Problem& problem, const Shot& shot) {
  constexpr std::uint64_t bytes_of_seconds = std::uint64_t{1} << 28;  // a core packs and reads them back
  constexpr int as_fast_as_disks = 16;                                // cores
  const auto cores = static_cast<std::uint64_t>(std::min(threads_at_work(), as_fast_as_disks));
  return problem.trace_bytes(shot.receivers.size()) > bytes_of_seconds * cores;
}

std::optional<PlacedNodes> nodes_there(const SampledMedium& medium, const std::string& memory) {
  const std::optional<PlacedNodes> nodes = medium.distant_nodes();
  return nodes && medium.model().spec.array->distant->memory() == memory ? nodes : std::nullopt;
}

ShotRunner::ShotRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
                       Backend& backend, const KernelSet& kernels)
    : problem_(problem),
      backend_(backend),
      ranks_(Ranks::world()),
      kernels_(kernels),
      part_(make_part(backend_, problem, kernels_)) {
  const std::size_t points = std::size_t(medium->grid().x) * medium->grid().y;
  set_medium(*part_.propagator, problem,
             {columns_of(*medium),
              [&](int z, float* plane) {
                medium->sample_plane(z, {plane, points});
              },
              [&](int z) { return medium->repeats(z); }, nodes_there(*medium, backend.info().memory())});
}

void ShotRunner::place(const Shot& shot, const ReceiverShare& receivers) {
  Propagator& propagator = *part_.propagator;
  set_sources(problem_, shot, propagator);
  if (receivers_set_ == shot.receivers) return;  // receivers of a whole survey, perhaps
  receivers_set_.clear();
  set_receivers(problem_, shot, receivers, propagator);
  receivers_set_ = shot.receivers;
}

Propagator& ShotRunner::begin(const Shot& shot) {
  place(shot, ReceiverShare(problem_, shot, ranks_));
  Propagator& propagator = *part_.propagator;
  set_at_rest(propagator);
  propagator.record();
  return propagator;
}

ModeledShot ShotRunner::run(const Shot& planned, const ShotHooks& hooks) {
  ModeledShot shot;
  Propagator& propagator = *part_.propagator;
  ReceiverShare receivers(problem_, planned, ranks_);
  place(planned, receivers);
  shot.result.velocity_code = propagator.velocity_code();
  const ExchangeCount before = part_.exchanged();
  TimeLoop loop(problem_, planned, hooks, ranks_, receivers, backend_, propagator, shot.result);
  std::optional<PowerSampler> sampler;
  if (hooks.power != nullptr) sampler.emplace(*hooks.power);
  loop.run();
  if (sampler) shot.result.power = sampler->end();
  shot.traces = std::move(loop.traces());
  if (ranks_.is_first()) finish_traces(shot.traces, problem_, planned);
  if (part_.neighbours) {
    const ExchangeCount after = part_.exchanged();
    const double waited = shot.result.parts.empty() ? 0 : shot.result.parts.back().seconds;
    shot.result.ranks =
        ranks_.gather(RankShare{problem_.slab(), shot.result.seconds, after.bytes - before.bytes,
                                after.seconds - before.seconds, waited});
    shot.result.transport = part_.neighbours->transport();
    shot.result.layer_cost = problem_.cut.layer_cost;
    for (const RankShare& rank : shot.result.ranks) {
      shot.result.seconds = std::max(shot.result.seconds, rank.seconds);
    }
  }
  finish_result(problem_, planned, kernels_, propagator, shot.result);
  return shot;
}

}  // namespace minimod
