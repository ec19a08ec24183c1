#include "src/job/gradient/gradient_worker.hpp"

#include <algorithm>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/base/timer.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/shot/domain_cut.hpp"
#include "src/job/shot/shot_job.hpp"
#include "src/job/workers/survey_devices.hpp"
#include "src/job/workers/worker_process.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

std::string boundary_fact(const BoundaryPlan& plan, int every) {
  const char* const where = plan.place == RecordPlace::device ? "on the device"
                            : plan.place == RecordPlace::host ? "in the host's memory"
                                                              : "on disk";
  return text("of steps that are taken back, from ", gib(plan.total()), " GiB ", where,
              plan.is_packed ? " in 16 bits" : "",
              every == 1 ? "" : text(", of each ", every, " steps one for all"));
}

std::string drives_fact(const GradientRunner& runner, int steps) {
  const Reversal& reversal = runner.reversal();
  if (runner.boundary() != nullptr) return boundary_fact(*runner.boundary(), reversal.every);
  const std::string which =
      reversal.every == 1 ? "" : text(", of each ", reversal.every, " steps one for all");
  if (reversal.steps_computed == steps) return text("kept of all ", steps, " steps", which);
  return text(reversal.drives, " at once, and ", reversal.states, " states",
              runner.has_states_on_disk() ? " on disk" : "", "; the shot is computed ",
              static_cast<double>(reversal.steps_computed) / steps, " times", which);
}

std::string words_of(const KernelSet& kernels) {
  return text(kernels.inner->name, "; schedule ", kernels.schedule->name());
}

Json readiness(const GradientRunner& runner, const ShotJob& job, int steps) {
  Json ready{{"ready", job.choice().device.name},
             {"kernels", words_of(runner.kernels())},
             {"adjoint", words_of(runner.adjoint_kernels())},
             {"drives", drives_fact(runner, steps)}};
  if (const auto transport = runner.transport())
    ready["ranks"] = ranks_fact(job.cut().slabs, *transport, job.cut().layer_cost);
  return ready;
}

class GradientWorker {
 public:
  /// `date`: of the gradient's start.
  GradientWorker(const GradientShots& shots, const ShotJob& job, GradientRunner& runner, Configuration shared,
                 std::string date)
      : shots_(shots),
        choice_(job.choice()),
        runner_(runner),
        shared_(std::move(shared)),
        date_(std::move(date)) {}

  void run(const OrderedShot& shot) {
    say({{"begun", shot.index}});
    try {
      compute(shot);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::stopped) return;  // the parent tells it
      // 66: its traces have gone. 73: what is there of the shot is another's.
      constexpr ErrorKind of_shot[] = {ErrorKind::data, ErrorKind::missing_input, ErrorKind::cannot_create};
      if (std::ranges::find(of_shot, error.kind()) == std::end(of_shot)) throw;
      say_failed(shot.index, error);
    }
  }

 private:
  void compute(const OrderedShot& ordered) {
    const Timer timer;
    const auto i = static_cast<std::size_t>(ordered.index);
    const Shot shot = shots_.shot(i);
    Reals given;
    ranks_.on_first([&] {
      if (shots_.hash_of_part(i, shared_) != ordered.configuration)
        throw Error(ErrorKind::data, "its traces have been replaced since the call began", "run it again");
      given = shots_.traces(i);
    });
    GradientCheckpoints checkpoints(shots_.checkpoints(i), identity(ordered.configuration),
                                    shots_.options().output.checkpoint_every, ranks_);
    if (const int done = checkpoints.steps_done(); done > 0) {
      tell(text("shot ", shot.number, " goes on behind ", done, " of ", shots_.plan().shared.time().steps,
                " steps of its transpose"));
    }
    ShotHooks hooks;
    hooks.progress = [](int steps) { say({{"steps", steps}}); };
    ShotGradient done = runner_.run(
        shot, hooks, [&](const Reals& traces) { return shots_.misfit(traces, given); }, &checkpoints);
    ranks_.on_first([&] {
      shots_.write_part(i, std::move(done.sums), done.misfit.value, ordered.configuration, date_);
      if (shots_.residuals()) write_residuals(shot, done.misfit.residual, ordered.configuration);
    });
    checkpoints.remove();
    say({{"finished", ordered.index},
         {"misfit", done.misfit.value},
         {"seconds", timer.seconds()},
         {"shot_seconds", done.seconds_of_shot},
         {"transpose_seconds", done.seconds}});
  }

  /// All that the bits of a transpose depend on, and whether the residuals are kept.
  [[nodiscard]] std::string identity(const std::string& configuration) const {
    return text(configuration, "; ", words_of(runner_.kernels()), "; ", words_of(runner_.adjoint_kernels()),
                shots_.residuals() ? "; with residuals" : "");
  }

  void write_residuals(const Shot& shot, const std::vector<double>& residual, const std::string& hash) const {
    const RunPlan& plan = shots_.plan().shared;
    ShotGather gather = make_gather(plan, shot, {date_, hash}, choice_);
    gather.metadata.emplace_back("residuals_of", shots_.misfit_name());
    shots_.residuals()->write(std::move(gather), shot.number, residual, plan.grid().precision);
  }

  Ranks& ranks_ = Ranks::world();
  const GradientShots& shots_;
  const DeviceChoice& choice_;
  GradientRunner& runner_;
  Configuration shared_;
  std::string date_;
};

}  // namespace

void work_on_gradient(ShotOptions options, const GradientOptions& gradient, const std::string& device) {
  Ranks& ranks = Ranks::world();
  options.kernels.device = device_option(device);
  const Json first = first_message(ranks, {"date", "configuration", "at_once"});
  if (first.is_null()) return;
  std::optional<GradientShots> planned;
  ranks.together([&] { planned.emplace(options, gradient, ranks.size()); });
  const GradientShots& shots = *planned;
  const RunPlan& plan = shots.plan().shared;
  const Problem cut =
      ranks.all_make([&] { return cut_domain(plan.problem, shots.plan(), options.ranks, ranks.size()); });
  const ShotJob job(shots.plan(), cut, options, 1);
  const DeviceChoice& choice = job.choice();
  Configuration shared = shots.configuration();
  add_kernels_of_survey(shared, choice);
  ranks.together([&] { require_same(first["configuration"].get<std::string>(), shared); });
  StopRequests::note();
  HistoryOptions history = shots.history(first["at_once"].get<int>());
  if (options.ranks.share_gpu) history.on_device = ranks.size_of_node();
  GradientRunner runner(job.problem(), job.medium(), choice, history, gradient.sum_kind());
  say(readiness(runner, job, plan.time().steps));
  GradientWorker worker(shots, job, runner, std::move(shared), first["date"].get<std::string>());
  const auto next = [&] { return ranks.any(StopRequests::came()) ? std::nullopt : next_shot(ranks); };
  while (const auto shot = next()) worker.run(*shot);
}

}  // namespace minimod
