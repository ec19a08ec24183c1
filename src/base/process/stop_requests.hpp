/// Requests to stop by SIGTERM, SIGINT, SIGUSR1, SIGHUP and SIGXCPU: none of them kills the program.
#pragma once

namespace minimod {

/// One of two ways at a time. The program begins with `end_at_once`, which suits all that is soon done again.
/// What can go on later notes them instead, looks whether one came, and ends in its own time.
class StopRequests {
 public:
  /// From here on they end the process with code 75 and `line`, which must last, or nothing on stderr;
  /// what it has begun to leave (leftovers.hpp) goes with it. A SIGHUP that is ignored, as nohup has it,
  /// stays so.
  static void end_at_once(const char* line = "stopped by a signal; nothing was left, run it again");
  /// From here on they are noted alone.
  static void note();
  /// Names a process that hears of each by a signal of its own: the one that waits for this one's mpirun.
  static void tell(int process, int by_signal);
  /// Whether one was noted.
  [[nodiscard]] static bool came();
};

}  // namespace minimod
