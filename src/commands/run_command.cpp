#include <memory>

#include "src/base/error.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_groups.hpp"
#include "src/commands/shot_line.hpp"
#include "src/shot/run.hpp"
#include "src/survey/survey_run.hpp"
#include "src/survey/worker.hpp"

namespace minimod {

namespace {

void refuse_work_on_one_shot(const WorkOptions& work) {
  if (!work.workers && !work.share) return;
  throw Error(ExitCode::usage, text(work.workers ? "--workers" : "--worker", " is given without --sources"),
              "one shot has one worker: leave it out");
}

std::function<void()> prepare_run(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  add_work(table, options->work);
  return [options] {
    if (const auto device = worker_device()) return work_on_survey(*options, *device);
    if (!options->acquisition.sources.empty()) return run_survey(*options);
    refuse_work_on_one_shot(options->work);
    run_shot(*options);
  };
}

}  // namespace

Command run_command() {
  return {"run", "model a shot, as the program does without a command", prepare_run};
}

}  // namespace minimod
