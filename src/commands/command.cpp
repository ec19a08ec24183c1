#include "src/commands/command.hpp"

namespace minimod {

std::vector<Command> all_commands() {
  return {run_command(),     survey_command(), section_command(),  gradient_command(),
          image_command(),   born_command(),   merge_command(),    kernels_command(),
          stencil_command(), heat_command(),   info_command(),     report_command(),
          bench_command(),   tune_command(),   roofline_command(), verify_command()};
}

}  // namespace minimod
