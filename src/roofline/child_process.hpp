/// Another program, run with a time limit.
#pragma once

#include <string>
#include <vector>

namespace minimod {

struct ChildResult {
  int exit_code = 0;       ///< negative: the number of the signal that ended it
  bool timed_out = false;  ///< asked to end (SIGINT), and killed when it did not
  std::string output;      ///< stdout and stderr together
};

/// Runs `command` (a path, or a name on PATH, and its arguments) in a process group of its own and waits
/// until it ends or `limit` seconds have passed. SIGINT and SIGTERM end it together with this program (exit
/// 75). Error 69 when it cannot be started.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& command, double limit);

/// The path of a program on PATH or in one of the folders behind it; empty when there is none.
[[nodiscard]] std::string find_program(const std::string& name, const std::vector<std::string>& folders = {});

}  // namespace minimod
