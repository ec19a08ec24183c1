/// Commands of the program: a command is a file of this folder and its name here and in command.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/commands/options/option_table.hpp"

namespace minimod {

struct Command {
  std::string name, summary;
  /// Fills the table with the options that it hears, and returns what runs when they have been read.
  std::function<void()> (*prepare)(OptionTable& table);
  bool takes_ranks = false;  ///< runs in several processes of MPI, too
};

[[nodiscard]] Command run_command();
[[nodiscard]] Command survey_command();
[[nodiscard]] Command section_command();
[[nodiscard]] Command gradient_command();
[[nodiscard]] Command image_command();
[[nodiscard]] Command born_command();
[[nodiscard]] Command merge_command();
[[nodiscard]] Command kernels_command();
[[nodiscard]] Command stencil_command();
[[nodiscard]] Command heat_command();
[[nodiscard]] Command info_command();
[[nodiscard]] Command report_command();
[[nodiscard]] Command bench_command();
[[nodiscard]] Command tune_command();
[[nodiscard]] Command roofline_command();
[[nodiscard]] Command verify_command();

/// In the order of `minimod --help`; the first is what the program does when none is named.
[[nodiscard]] std::vector<Command> all_commands();

}  // namespace minimod
