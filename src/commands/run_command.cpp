#include <memory>

#include "src/base/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/commands/worker_ranks.hpp"
#include "src/job/plan/plan.hpp"
#include "src/job/shot/run.hpp"
#include "src/job/survey/survey_run.hpp"
#include "src/job/workers/worker.hpp"
#include "src/job/workers/worker_process.hpp"
#include "src/ranks/start.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

namespace {

void work(const ShotOptions& options, const std::string& device, const Ranks& ranks) {
  if (options.acquisition.sources.empty()) {
    throw Error(ErrorKind::parameter, "this process is the worker of a survey, and has no --sources",
                "unset MINIMOD_WORKER");
  }
  become_ranks_of_worker(options, ranks);
  work_on_survey(options, device);
}

/// Models the shot, or the survey.
void model(const ShotOptions& options) {
  Ranks& ranks = Ranks::world();
  if (const auto device = worker_device(ranks)) return work(options, *device, ranks);
  if (!options.acquisition.sources.empty()) {
    check_ranks_of_workers(options, ranks);
    return run_survey(options);
  }
  refuse_without_sources(options);
  start_ranks(options.ranks, ranks);
  run_shot(options);
}

std::function<void()> prepare_run(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  return [options] { model(*options); };
}

/// Launches of one step each: the drive of each is taken.
std::function<void()> prepare_born(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  table.value("--change", "FILE|constant:DV", groups::inversion,
              "change of V (m/s) at the nodes of the run within its layer, or of the model's file, read as "
              "that is",
              options->change.source);
  return [options] {
    if (options->change.source.empty()) {
      throw Error(ErrorKind::parameter, "--change is missing", "give the change of the model's velocities");
    }
    check_change_options(*options);
    if (options->kernels.schedule == nullptr) options->kernels.schedule = &sequence();
    model(*options);
  };
}

}  // namespace

Command run_command() {
  return {"run", "model a shot, as the program does without a command", prepare_run, true};
}

Command born_command() {
  return {"born", "model what a change of the velocities adds to a shot, to first order", prepare_born, true};
}

}  // namespace minimod
