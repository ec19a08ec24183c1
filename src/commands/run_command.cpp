#include <memory>

#include "src/base/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/shot/run.hpp"
#include "src/job/survey/survey_run.hpp"
#include "src/job/workers/worker.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

/// The survey's own process has no ranks; its workers may.
void check_ranks_of_survey(const ShotOptions& options, const Ranks& ranks) {
  if (!ranks.is_alone() || options.ranks.count.value_or(1) != 1) {
    throw Error(ErrorKind::parameter,
                "a survey is one process that starts others, it is started with several ranks",
                "leave --ranks and mpirun out; --ranks-per-shot cuts each of its shots");
  }
  if (options.work.ranks() == 1) return refuse_without_ranks(options.ranks, "--ranks-per-shot");
  require_ranks(options.work.ranks(), "--ranks-per-shot");
}

void work(const ShotOptions& options, const std::string& device, const Ranks& ranks) {
  if (options.acquisition.sources.empty()) {
    throw Error(ErrorKind::parameter, "this process is the worker of a survey, and has no --sources",
                "unset MINIMOD_WORKER");
  }
  if (ranks.is_alone() && options.work.ranks() > 1) become_ranks(options.work.ranks());
  work_on_survey(options, device);
}

std::function<void()> prepare_run(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  return [options] {
    Ranks& ranks = Ranks::world();
    if (const auto device = worker_device(ranks)) return work(*options, *device, ranks);
    if (!options->acquisition.sources.empty()) {
      check_ranks_of_survey(*options, ranks);
      return run_survey(*options);
    }
    refuse_without_sources(*options);
    start_ranks(options->ranks, ranks);
    run_shot(*options);
  };
}

}  // namespace

Command run_command() {
  return {"run", "model a shot, as the program does without a command", prepare_run, true};
}

}  // namespace minimod
