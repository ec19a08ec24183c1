/// The options of a run in one line.
#pragma once

#include <string>

#include "src/commands/options/option_table.hpp"
#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// All that a run hears. Commands that show a run take the same, also what does not matter to them, as who
/// runs it: a file of options or a command line of a run is one of theirs.
void add_shot(OptionTable& table, ShotOptions& options);

/// Error 64 where one shot is given what only surveys hear.
void refuse_without_sources(const ShotOptions& options);

/// Reads what a user writes behind `minimod`; values with blanks in quotes. Error 64.
[[nodiscard]] ShotOptions parse_shot(const std::string& line);

}  // namespace minimod
