#include "src/python/core/modeling.hpp"

#include <algorithm>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/io/gather/trace_buffer.hpp"
#include "src/job/geometry/acquisition.hpp"
#include "src/job/gradient/source_gradient.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/plan/time_zero.hpp"
#include "src/python/core/given_model.hpp"
#include "src/ranks/ranks.hpp"
#include "src/wavelets/time_dispersion.hpp"

namespace minimod {

namespace {

/// Steps between two fetches of samples: the host looks so often.
int samples_between_fetches(const TimeAxis& time) {
  return samples_of_batch(time) - 1;
}

}  // namespace

Modeling::Modeling(std::unique_ptr<ShotOptions> options, bool writes, bool for_gradients)
    : options_(std::move(options)), plan_([&] {
        check_kernels(options_->kernels);
        if (options_->snapshots.wanted() && !writes) {
          throw Error(ErrorKind::parameter, option("snapshot-every") + " is given without a file",
                      text("give ", option("output"), ", beside which snapshots are written"));
        }
        return make_survey_plan(*options_);
      }()) {
  if (writes) {
    outputs_.emplace(*options_);
    outputs_->check([&](const std::filesystem::path&) { return options_->output.force; });
  }
  Problem problem = plan_.shared.problem;
  problem.domain.grid.rows_are_seen = true;  // by wavefield()
  job_ = std::make_unique<ShotJob>(plan_, problem, *options_, 1);
  job_->check_memory();
  job_->look_for_idle();
  if (outputs_) check_disk(plan_, *options_, outputs_->first());
  tell(choice().notes);
  tell(plan_.shared.notes);
  tell(echo_notes(plan_.shared, plan_.echo));
  tell(plan_.arrivals);
  if (const std::string note = note_of_copies(*plan_.shared.medium, choice().device.memory()); !note.empty())
    tell(note);
  if (!for_gradients) job_->start();
}

Modeling::~Modeling() = default;

ShotIdentity Modeling::identity_of(const Shot& shot) const {
  Configuration configuration = with_shot(shared_configuration(plan_.shared), shot);
  add_kernels(configuration, choice().kernels);
  return {plan_.date, hash_of(configuration)};
}

ShotGeometry Modeling::in_model(ShotGeometry shot) const {
  settle(shot, {plan_.shared.problem.domain, plan_.shared.medium}, options_->acquisition);
  return shot;
}

Shot Modeling::placed(const ShotGeometry& shot) const {
  const RunPlan& plan = plan_.shared;
  for (const ShotSource& source : shot.sources) {
    if (plan.signals.wavelets.contains(wavelet_name(shot, source, plan.time_zero))) continue;
    throw Error(ErrorKind::parameter,
                text(option("wavelet"), " '", escaped(source.wavelet, 40), "' is none that was planned for"),
                "give it in the shot that the solver is made with");
  }
  return place_shot(plan, shot);
}

ComputedShot Modeling::run(std::size_t i, const ShotHooks& hooks) {
  return compute(placed(plan_.shot(i)), hooks);
}

ComputedShot Modeling::run(const ShotGeometry& other, const ShotHooks& hooks) {
  return compute(placed(in_model(other)), hooks);
}

ComputedShot Modeling::compute(const Shot& shot, const ShotHooks& hooks) {
  propagator_ = nullptr;
  const bool force = options_->output.force;
  ComputedShot computed = job_->compute(
      shot, identity_of(shot), hooks, outputs_ ? std::optional(outputs_->snapshots()) : std::nullopt, force);
  computed.gather.sections = take_sections(*plan_.shared.medium, shot.sources.front().node);
  if (!outputs_) return computed;
  if (computed.snapshots) computed.snapshots->finish();
  for (const auto& [format, path] : outputs_->files())
    format->write(computed.gather, shot.number, options_->output.of_formats, path, force);
  return computed;
}

std::string Modeling::record(const ComputedShot& shot) const {
  return make_record(plan_, plan_.date, choice(), shot.result).dump();
}

ShotGather Modeling::model(std::size_t i, const WantedSums& wanted, const ShotHooks& hooks) {
  const RunPlan& plan = plan_.shared;
  if (!gradients_) {
    SumKind kind;
    if (!wanted.by.empty()) kind.by = parse_choice(gradient_by_names, wanted.by, option("by"));
    if (!wanted.condition.empty())
      kind.condition = parse_choice(imaging_names, wanted.condition, option("condition"));
    HistoryOptions history = history_options(wanted.memory, wanted.every, plan, wanted.shots_at_once);
    history.states_on = wanted.states_on;
    history.kind = parse_choice(history_names, wanted.history, option("history"));
    gradients_ = std::make_unique<GradientRunner>(plan.problem, plan.medium, choice(), history, kind);
  }
  begun_ = placed(plan_.shot(i));
  ShotGather gather = make_gather(plan, begun_, identity_of(begun_), choice());
  gather.traces = gradients_->model(begun_, hooks).traces;
  return gather;
}

ShotDerivatives Modeling::derive(std::vector<double> derivative, bool by_sources, const ShotHooks& hooks) {
  if (by_sources && begun_.injection)
    throw Error(ErrorKind::parameter, option("inject") + " is given", "give a wavelet, which is derived by");
  ShotDerivatives all;
  all.sums = gradients_->derive(begun_, std::move(derivative), hooks, by_sources ? &all.by_fed : nullptr);
  if (by_sources) all.by_amplitude = by_amplitude(begun_, all.by_fed);
  return all;
}

void Modeling::begin(std::size_t i) {
  begin_with(placed(plan_.shot(i)));
}

void Modeling::begin(const ShotGeometry& other) {
  begin_with(placed(in_model(other)));
}

/// Unscaled, so that the wavefield may be looked at where it is.
void Modeling::begin_with(Shot shot) {
  begun_ = std::move(shot);
  begun_.scale = 1;
  kept_ = Reals(plan_.shared.grid().precision, 0);
  propagator_ = &job_->begin(begun_);
  in_batch_ = 1;
}

Propagator& Modeling::stepped() const {
  if (propagator_ != nullptr) return *propagator_;
  throw Error(ErrorKind::parameter, "no shot has begun", "begin one");
}

/// No step is computed ahead when it returns, so that fields may be looked at and changed.
void Modeling::step(int steps, const std::function<bool()>& is_stopped) {
  Propagator& propagator = stepped();
  const TimeAxis& time = plan_.shared.time();
  int left = steps;
  while (left > 0 || propagator.is_ahead()) {
    propagator.step(left <= 1);
    --left;
    if (propagator.steps_done() % time.record_every == 0) {
      propagator.record();
      if (++in_batch_ >= samples_between_fetches(time)) fetch();
    }
    if (is_stopped()) break;
  }
  propagator.check_status();
}

int Modeling::steps_done() const {
  return stepped().steps_done();
}

double Modeling::time() const {
  return plan_.shared.time().at(steps_done());
}

void Modeling::fetch() {
  if (in_batch_ == 0) return;
  kept_.append(stepped().fetch_batch());
  in_batch_ = 0;
}

void Modeling::add(Index3 node, double value) {
  const Box3& inner = plan_.shared.medium->inner();
  const Index3 at{node.x + inner.begin.x, node.y + inner.begin.y, node.z + inner.begin.z};
  if (!inner.contains(at)) {
    const Extent3 n = inner.extent();
    throw Error(ErrorKind::parameter,
                text("node ", node.x, ", ", node.y, ", ", node.z, " is not in the model"),
                text("it has ", n.x, " x ", n.y, " x ", n.z));
  }
  stepped().add(at, value);
}

WavefieldView Modeling::wavefield(bool with_layer) {
  const Fields& fields = stepped().fields();
  stepped().check_status();
  choice().backend->wait();
  const Grid& grid = fields.grid();
  const Box3 box =
      with_layer ? Box3{{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}} : plan_.shared.medium->inner();
  const Layout& layout = grid.layout;
  return {fields.observed().at(box.begin),
          box.extent(),
          layout.stride_y,
          layout.stride_z,
          choice().device.is_gpu(),
          options_->kernels.device.index};
}

ShotGather Modeling::gather() {
  fetch();
  const TimeAxis& time = plan_.shared.time();
  ShotGather gather = make_gather(plan_.shared, begun_, identity_of(begun_), choice());
  const std::size_t receivers = begun_.receivers.size();
  gather.samples = kept_.size() / receivers;
  TraceBuffer traces(receivers, gather.samples, kept_.precision());
  traces.append(kept_);
  gather.traces = std::move(traces.values());
  if (time.dispersion == TimeDispersion::corrected)
    correct_traces(gather.traces, gather.samples, time.record_every);
  return gather;
}

}  // namespace minimod
