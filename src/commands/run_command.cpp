#include <memory>

#include "src/commands/command.hpp"
#include "src/commands/option_groups.hpp"
#include "src/shot/run.hpp"

namespace minimod {

std::shared_ptr<ShotOptions> add_shot(OptionTable& table) {
  auto options = std::make_shared<ShotOptions>();
  add_kernels(table, options->kernels, one_kernel);
  add_emulate(table, options->kernels);
  add_decomposition(table, options->kernels);
  add_grid(table, options->grid);
  add_model(table, options->model, options->grid);
  add_acquisition(table, options->acquisition);
  add_boundary(table, options->boundary);
  add_layer_width(table, options->boundary);
  add_layer_velocity(table, options->boundary);
  add_layer_alpha(table, options->boundary);
  add_time(table, options->time);
  add_output(table, options->output);
  return options;
}

Command run_command() {
  return {"run", "model a shot, as the program does without a command",
          [](OptionTable& table) -> std::function<void()> {
            return [options = add_shot(table)] { run_shot(*options); };
          }};
}

}  // namespace minimod
