/// Requests to stop by SIGTERM, SIGINT, SIGUSR1, SIGHUP and SIGXCPU: none of them kills the program.
#pragma once

#include <chrono>
#include <set>

#include <sys/types.h>

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

/// Hands a request to stop on to a process of this program, or to those that another program has started,
/// such as mpirun, which may keep the request to itself, and at SIGTERM waits, and kills.
class StopHandedOn {
 public:
  explicit StopHandedOn(pid_t process) : process_(process) {}
  /// To be called some times a second until the process has ended. Each process of this program gets SIGUSR1
  /// once; the other program gets it where it has none. Kills one that has had no child for five seconds:
  /// mpirun of Open MPI 4.1 waits for ever where its ranks end before they have found it.
  void go_on();

 private:
  const pid_t process_;
  std::set<pid_t> told_;
  std::chrono::steady_clock::time_point alive_;
};

}  // namespace minimod
