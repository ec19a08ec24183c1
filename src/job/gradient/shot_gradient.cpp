#include "src/job/gradient/shot_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/base/error.hpp"
#include "src/base/process/host_memory.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/timer.hpp"
#include "src/job/gradient/adjoint_problem.hpp"
#include "src/job/gradient/source_gradient.hpp"
#include "src/job/gradient/sums/slab_sums.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

using ActionKind = ReversalAction::Kind;

/// Keeps what the plan wants of the pass that makes the traces: all before its first use.
class FirstPass final : public StepCompanion {
 public:
  FirstPass(const Reversal& reversal, KeptDrives& drives, KeptStates& states)
      : drives_(drives), states_(states) {
    int begin = 0;
    for (const ReversalAction& action : reversal.actions) {
      if (action.kind == ActionKind::use) break;
      if (action.kind == ActionKind::save) slots_[action.step] = action.slot;
      if (action.kind == ActionKind::record) drives_.begin_piece(begin, action.step);
      begin = action.step;
    }
  }

  void before_step(Propagator& propagator) override {
    if (propagator.steps_done() == 0) save_state(propagator);
    drives_.before_step(propagator);
  }
  void after_step(const Propagator& propagator) override {
    drives_.after_step(propagator);
    save_state(propagator);
  }

 private:
  void save_state(const Propagator& propagator) {
    const auto slot = slots_.find(propagator.steps_done());
    if (slot != slots_.end()) states_.save(slot->second, propagator);
  }

  KeptDrives& drives_;
  KeptStates& states_;
  std::map<int, int> slots_;  ///< slots of the states, by their steps
};

}  // namespace

/// The transpose of a call: its sums at all points, on the device, and who looks after it.
struct GradientRunner::Transpose {
  Transpose(Backend& backend, const Grid& grid, const ShotHooks& hooks)
      : product(backend, points_of(grid), Precision::float64),
        drive(backend, points_of(grid), grid.precision),
        adjoint(backend, points_of(grid), grid.precision),
        is_stopped(hooks.is_stopped) {}
  [[nodiscard]] static std::size_t points_of(const Grid& grid) {
    return static_cast<std::size_t>(grid.n.points());
  }
  [[nodiscard]] std::vector<FieldPart> sums() const {
    return {{"sum of products", product.at(), product.size()},
            {"sum of drives", drive.at(), drive.size()},
            {"sum of adjoint fields", adjoint.at(), adjoint.size()}};
  }

  DeviceReals product, drive, adjoint;
  std::function<bool()> is_stopped;            ///< as ShotHooks has it
  std::optional<SourceRecorder> at_sources;    ///< nothing: what sources feed is not derived by
  GradientCheckpoints* checkpoints = nullptr;  ///< null: none
  const Misfit* misfit = nullptr;              ///< misfit that these keep
  double seconds = 0;                          ///< seconds of its steps, as ShotGradient has them
};

GradientRunner::GradientRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
                               const DeviceChoice& choice, const HistoryOptions& history, const SumKind& kind)
    : problem_(with_drives(problem)),
      medium_(medium),
      backend_(*choice.backend),
      kind_(kind),
      kernels_(kernels_of_shot(problem_, choice, history)),
      adjoint_kernels_(kernels_of_adjoint(adjoint_problem(problem_), choice)),
      forward_(problem_, medium, backend_, kernels_),
      adjoint_(adjoint_problem(problem_), medium, backend_, adjoint_kernels_),
      illumination_every_(history.illumination_every),
      reversal_(reversal_of(problem_, kernels_, backend_, bytes_of_state(forward_.propagator()), history, 0)),
      states_(backend_, reversal_, bytes_of_state(forward_.propagator()), history.states_on),
      drives_(backend_, grid_of_drives(problem_, kernels_), reversal_) {
  if (!history.goes_back()) return;
  HistoryOptions own = history;
  own.shots_at_once = 1;  // others have taken theirs, or will find less free
  boundary_.emplace(backend_, problem_, own,
                    plan_boundary(problem_, backend_, own, bytes_of_sums(problem_, backend_)));
}

void GradientRunner::refuse_at_signal(const Transpose& transpose) const {
  if (!problem_.cut.any(StopRequests::came() || (transpose.is_stopped && transpose.is_stopped()))) return;
  throw Error(ErrorKind::stopped, "stopped by a signal behind the shot, before its gradient was whole",
              "the same command goes on with this shot");
}

void GradientRunner::step_to(int step, bool keeps, const Transpose& transpose) {
  Propagator& propagator = forward_.propagator();
  if (keeps) drives_.begin_piece(propagator.steps_done(), step);
  while (propagator.steps_done() < step) {
    refuse_at_signal(transpose);
    if (keeps) drives_.before_step(propagator);
    propagator.step();
    if (keeps) drives_.after_step(propagator);
  }
}

std::vector<DriveWithin> GradientRunner::drives_of(int step) {
  if (boundary_) return boundary_->drives(forward_.propagator());
  return {{drives_.of_own(step), adjoint_.propagator().all_points()}};
}

void GradientRunner::use_drives(int down_to, Transpose& transpose) {
  Propagator& adjoint = adjoint_.propagator();
  double* const product = transpose.product.at().of<double>();
  for (int n = drives_.end() - 1; n >= down_to; --n) {
    refuse_at_signal(transpose);
    adjoint.step();
    if (transpose.at_sources) transpose.at_sources->record();
    if (n % illumination_every_ == 0) {
      adjoint.illuminate(drives_of(n), product, transpose.drive.at(), transpose.adjoint.at());
    } else if (drives_.has(n)) {
      adjoint.correlate(drives_of(n), product);
    }
    if (n > 0 && transpose.checkpoints != nullptr && transpose.checkpoints->is_due()) save_or_tell(transpose);
  }
}

/// Takes the shot's steps back beside those of the transpose, of which a checkpoint has brought back `begin`:
/// then the shot is computed once more, and as many of its steps are taken back before.
void GradientRunner::take_back(int begin, Transpose& transpose) {
  Propagator& shot = forward_.propagator();
  const int steps = problem_.time.steps;
  while (shot.steps_done() < steps) {
    refuse_at_signal(transpose);
    boundary_->before_step(shot);
    shot.step();
    boundary_->after_step(shot);
  }
  boundary_->turn_round(shot);
  for (int n = steps - 1; n >= 0; --n) {
    refuse_at_signal(transpose);
    drives_.begin_piece(n, n + 1);
    boundary_->step_back(shot, n);
    if (n < steps - begin) use_drives(n, transpose);
    boundary_->release(n);
  }
}

void GradientRunner::carry_out(const ReversalAction& action, Transpose& transpose) {
  switch (action.kind) {
    case ActionKind::advance:
      return step_to(action.step, false, transpose);
    case ActionKind::record:
      return step_to(action.step, true, transpose);
    case ActionKind::save:
      return states_.save(action.slot, forward_.propagator());
    case ActionKind::restore:
      return states_.restore(action.slot, action.step, forward_.propagator());
    case ActionKind::use:
      return use_drives(action.step, transpose);
  }
}

/// Steps of the transpose that a checkpoint has brought back.
int GradientRunner::begin(const Transpose& transpose) {
  Propagator& adjoint = adjoint_.propagator();
  adjoint.set_at_rest();
  adjoint.resume(0, false);
  GradientCheckpoints* const checkpoints = transpose.checkpoints;
  if (checkpoints == nullptr) return 0;
  if (checkpoints->steps_done() > 0) checkpoints->restore(adjoint, transpose.sums(), backend_);
  checkpoints->begin_to_count();
  return adjoint.steps_done();
}

/// The pass that made the traces has done what stands before the first use, of a transpose from its first
/// step on. Of another the shot's first steps are a reversal of their own, in the same memory.
void GradientRunner::carry_out_rest(int begin, Transpose& transpose) {
  if (boundary_) return take_back(begin, transpose);
  const auto is_use = [](const ReversalAction& action) { return action.kind == ActionKind::use; };
  const Reversal rest = begin == 0 ? reversal_
                                   : make_reversal(problem_.time.steps - begin, reversal_.every,
                                                   reversal_.drives, reversal_.states);
  const auto first = begin == 0 ? std::ranges::find_if(rest.actions, is_use) : rest.actions.begin();
  for (auto action = first; action != rest.actions.end(); ++action) carry_out(*action, transpose);
}

void GradientRunner::save_or_tell(const Transpose& transpose) {
  transpose.checkpoints->save_or_tell(adjoint_.propagator(), transpose.sums(), backend_, *transpose.misfit);
}

void GradientRunner::go_back(Transpose& transpose) {
  const Timer timer;
  Propagator& adjoint = adjoint_.propagator();
  const int first = begin(transpose);
  try {
    carry_out_rest(first, transpose);
  } catch (const Error& error) {
    const bool is_of_use = transpose.checkpoints != nullptr && adjoint.steps_done() > first;
    if (error.kind() == ErrorKind::stopped && is_of_use) save_or_tell(transpose);
    throw;
  }
  adjoint.check_status();
  backend_.wait();
  transpose.seconds = timer.seconds();
}

/// Sample k of a trace is derived by u behind step k · record_every; step N − n of the transpose, N steps in
/// all, adds what belongs to u behind step n.
void GradientRunner::feed_residual(const Shot& shot, std::vector<double> residual, double greatest) {
  const TimeAxis& time = problem_.time;
  const Point3 h = problem_.grid().spacing;
  const double factor = h.x * h.y * h.z / greatest;
  FedSources sources;
  sources.steps = static_cast<std::size_t>(time.steps);
  for (std::size_t i = 0; i < shot.receivers.size(); ++i)
    sources.places.push_back(in_slab(place_of_receiver(problem_, shot, i), problem_.slab()));
  sources.samples = [time, factor, all = std::move(residual)](std::size_t i) {
    std::vector<double> fed(static_cast<std::size_t>(time.steps));
    const auto samples = static_cast<std::size_t>(time.samples());
    for (std::size_t k = 1; k < samples; ++k)
      fed[fed.size() - k * static_cast<std::size_t>(time.record_every)] = factor * all[i * samples + k];
    return fed;
  };
  adjoint_.propagator().set_sources(std::move(sources));
}

GradientSums GradientRunner::at_nodes(const Transpose& transpose, double greatest) const {
  constexpr std::size_t bytes_at_once = std::size_t{1} << 28;
  const Grid& grid = problem_.grid();
  const Slab slab = problem_.slab();
  const std::size_t plane = std::size_t(grid.n.x) * grid.n.y;
  std::vector<double> image;
  if (kind_.condition) {
    image.reserve(transpose.product.size());
    make_pages(image.data(), transpose.product.bytes());
    image.resize(transpose.product.size());
    backend_.download(image.data(), transpose.product.data(), transpose.product.bytes());
    make_image(image, reversal_.every * greatest, *kind_.condition, problem_, *medium_);
  }
  Reals product(Precision::float64, 0), drive(grid.precision, 0), adjoint(grid.precision, 0);
  const ReadPointSums read = [&](IndexRange planes) {
    const std::size_t first = plane * (planes.begin - slab.begin), count = plane * planes.size();
    // A GPU's come to the host, into room that is made once.
    const auto on_host = [&](const DeviceReals& from, Reals& room) {
      const RealsAt part = from.at() + static_cast<std::ptrdiff_t>(first);
      if (!backend_.info().is_gpu()) return part;
      room.resize(count);
      backend_.download(room.raw().data(), part.data, room.bytes());
      return room.at();
    };
    return PointSums{
        kind_.condition ? image.data() + first : on_host(transpose.product, product).of<double>(),
        on_host(transpose.drive, drive), on_host(transpose.adjoint, adjoint)};
  };
  const SumFactors factors{problem_.time.dt, reversal_.every * greatest, double(illumination_every_),
                           illumination_every_ * greatest * greatest};
  const int planes_at_once = 1 + static_cast<int>(bytes_at_once / (2 * sizeof(double) * plane));
  GradientSums own;
  problem_.cut.together([&] {
    own = fold(read, factors, *medium_, kind_, grid.precision, {slab.begin, slab.end}, planes_at_once);
  });
  return joined_on_first(std::move(own), problem_.cut);
}

ModeledShot GradientRunner::model(const Shot& shot, const ShotHooks& hooks) {
  FirstPass first_pass(reversal_, drives_, states_);
  ShotHooks with_ours = hooks;
  with_ours.companion = boundary_ ? static_cast<StepCompanion*>(&*boundary_) : &first_pass;
  return forward_.run(shot, with_ours);
}

/// The first rank's, as receivers feed it.
void GradientRunner::agree_on(std::vector<double>& derivative, const Shot& shot) const {
  const TimeAxis& time = problem_.time;
  problem_.cut.on_first([&] {
    if (time.dispersion == TimeDispersion::corrected)
      transpose_correction(derivative, static_cast<std::size_t>(time.samples()), time.record_every);
    for (double& value : derivative) value *= shot.scale;
  });
  derivative = problem_.cut.from(0, std::move(derivative));
}

GradientSums GradientRunner::derive(const Shot& shot, std::vector<double> derivative, const ShotHooks& hooks,
                                    std::vector<double>* by_fed) {
  Transpose transpose(backend_, problem_.part().grid, hooks);
  return derive(shot, std::move(derivative), transpose, by_fed);
}

GradientSums GradientRunner::derive(const Shot& shot, std::vector<double> derivative, Transpose& transpose,
                                    std::vector<double>* by_fed) {
  agree_on(derivative, shot);
  double greatest = 0;
  for (const double value : derivative) greatest = std::max(greatest, std::abs(value));
  feed_residual(shot, std::move(derivative), greatest > 0 ? greatest : 1);
  if (by_fed != nullptr) transpose.at_sources.emplace(adjoint_.propagator(), problem_, shot);
  go_back(transpose);
  if (by_fed != nullptr) *by_fed = transpose.at_sources->by_fed(greatest / shot.scale);
  return at_nodes(transpose, greatest);
}

ShotGradient GradientRunner::run(const Shot& shot, const ShotHooks& hooks, const MisfitOfTraces& misfit,
                                 GradientCheckpoints* checkpoints) {
  ShotGradient result;
  if (checkpoints != nullptr && checkpoints->steps_done() > 0) {
    forward_.begin(shot);
    const std::size_t samples = shot.receivers.size() * static_cast<std::size_t>(problem_.time.samples());
    problem_.cut.on_first([&] { result.misfit = checkpoints->misfit(samples); });
  } else {
    const Timer timer;
    result.modeled = model(shot, hooks);
    result.seconds_of_shot = timer.seconds();
    problem_.cut.on_first([&] { result.misfit = misfit(result.modeled.traces); });
  }
  Transpose transpose(backend_, problem_.part().grid, hooks);
  transpose.checkpoints = checkpoints;
  transpose.misfit = &result.misfit;
  result.sums = derive(shot, result.misfit.derivative, transpose, nullptr);
  result.seconds = transpose.seconds;
  return result;
}

}  // namespace minimod
