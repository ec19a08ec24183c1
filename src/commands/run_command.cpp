#include <memory>

#include "src/commands/command.hpp"
#include "src/commands/shot_line.hpp"
#include "src/shot/run.hpp"

namespace minimod {

namespace {

std::function<void()> prepare_run(OptionTable& table) {
  const auto options = std::make_shared<ShotOptions>();
  add_shot(table, *options);
  return [options] { run_shot(*options); };
}

}  // namespace

Command run_command() {
  return {"run", "model a shot, as the program does without a command", prepare_run};
}

}  // namespace minimod
