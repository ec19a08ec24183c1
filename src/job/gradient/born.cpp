#include "src/job/gradient/born.hpp"

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/timer.hpp"
#include "src/io/gather/trace_buffer.hpp"
#include "src/job/gradient/adjoint_problem.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// Ratios by which a change of V changes (V Δt)² to first order, of all points of a slab.
std::vector<double> ratios_of(const VelocityChange& change, const SampledMedium& medium, const Slab& slab) {
  const Extent3 all = medium.grid();
  std::vector<double> ratios;
  ratios.reserve(std::size_t(all.x) * all.y * slab.planes());
  std::vector<float> velocity(std::size_t(all.x) * all.y);
  for (int z = slab.begin; z < slab.end; ++z) {
    medium.sample_plane(z, velocity);
    for (int y = 0; y < all.y; ++y) {
      for (int x = 0; x < all.x; ++x) {
        const double dv = change.v[place_within({x, y, z}, medium.inner(), change.n)];
        ratios.push_back(2 * dv / velocity[std::size_t(y) * all.x + x]);
      }
    }
  }
  return ratios;
}

void require_drives(const Schedule& schedule) {
  if (schedule.steps_of_exchange() == 1) return;
  throw Error(ErrorKind::parameter,
              text(option("schedule"), " ", schedule.name(), " computes a step ahead of its drive"),
              "take sequence");
}

/// The shot whose waves are scattered: nobody records them, but a run has a receiver.
Shot incident_shot(Shot shot) {
  shot.receivers.resize(1);
  shot.receiver_nodes.resize(1);
  return shot;
}

}  // namespace

/// Steps the scattered waves behind each step of the shot's.
class BornRunner::Scatterer final : public StepCompanion {
 public:
  Scatterer(BornRunner& runner, const Shot& shot, const ShotHooks& hooks)
      : runner_(runner),
        hooks_(hooks),
        time_(runner.problem_.time),
        receivers_(runner.problem_, shot, Ranks::world()),
        drive_{runner.drive_.at(), packed_layout(runner.problem_.grid().n)},
        scattered_(runner.scattered_.begin(shot)),
        traces_(shot.receivers.size(), static_cast<std::size_t>(time_.samples()),
                runner.problem_.grid().precision) {
    scattered_.set_sources(FedSources{});
    look(0);
  }

  void before_step(Propagator& incident) override {
    if (incident.steps_done() == hooks_.warmup) {
      runner_.backend_.wait();
      timer_ = Timer();
    }
    incident.keep_earlier();
  }
  void after_step(const Propagator& incident) override {
    incident.make_drive(drive_);
    scattered_.step();
    scattered_.scatter(drive_, runner_.ratio_.at());
    const int step = incident.steps_done();
    record(step);
    look(step);
  }

  [[nodiscard]] Reals traces() {
    scattered_.check_status();
    traces_.append(receivers_.join(scattered_.fetch_batch()));
    return std::move(traces_.values());
  }
  [[nodiscard]] double seconds() const { return timer_.seconds(); }

 private:
  void look(int step) {
    for (StepObserver* observer : hooks_.observers) {
      if (observer->next_step(step - 1) == step) observer->look(scattered_, step);
    }
  }
  void record(int step) {
    if (step % time_.record_every != 0) return;
    scattered_.record();
    if (++in_batch_ < samples_of_batch(time_) - 1) return;
    traces_.append(receivers_.join(scattered_.fetch_batch()));
    in_batch_ = 0;
  }

  BornRunner& runner_;
  const ShotHooks& hooks_;
  const TimeAxis& time_;
  ReceiverShare receivers_;
  DriveField drive_;
  Propagator& scattered_;
  TraceBuffer traces_;
  int in_batch_ = 1;
  Timer timer_;
};

BornRunner::BornRunner(const Problem& problem, const std::shared_ptr<const SampledMedium>& medium,
                       const DeviceChoice& choice, const VelocityChange& change)
    : problem_(problem),
      backend_(*choice.backend),
      kernels_(choice.kernels),
      incident_(with_drives(problem), medium, choice),
      scattered_(problem, medium, choice),
      drive_(backend_, static_cast<std::size_t>(problem.part().grid.n.points()), problem.grid().precision),
      ratio_(backend_, ratios_of(change, *medium, problem.slab()), problem.grid().precision) {
  require_drives(*choice.kernels.schedule);
}

ModeledShot BornRunner::run(const Shot& shot, const ShotHooks& hooks) {
  Scatterer scatterer(*this, shot, hooks);
  ShotHooks with_ours = hooks;
  with_ours.observers.clear();
  with_ours.companion = &scatterer;
  with_ours.checkpoints = nullptr;
  ModeledShot modeled = incident_.run(incident_shot(shot), with_ours);
  modeled.traces = scatterer.traces();
  RunResult& result = modeled.result;
  result.seconds = scatterer.seconds();
  result.parts.clear();
  if (problem_.cut.is_first()) finish_traces(modeled.traces, problem_, shot);
  finish_result(problem_, shot, kernels_, scattered_.propagator(), result);
  return modeled;
}

}  // namespace minimod
