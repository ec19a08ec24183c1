/// The command line: which command it names and what that hears.
#pragma once

#include <functional>
#include <string>

namespace minimod {

/// A note as a command has it: a line on stderr, behind what stdout has by then.
void print_note(const std::string& note);

/// Reads the command line and returns what it asks for, to be run. Prints help or the version and returns
/// nothing when that was asked for. Error 64 for everything that is wrong: an option that the command does
/// not hear, wherever it stands, a value that is none.
[[nodiscard]] std::function<void()> parse_command_line(int argc, const char* const* argv);

}  // namespace minimod
