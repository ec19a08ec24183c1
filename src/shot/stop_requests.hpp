/// What SIGINT and SIGTERM do to a run.
#pragma once

namespace minimod {

/// While it lives, they ask the time loop to stop after its step, and, once the gather is being written,
/// remove what there is of it and leave.
class StopRequests {
 public:
  StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
  ~StopRequests();

  [[nodiscard]] static bool came();
  /// Error 75 when one came.
  static void check(int steps_done, int steps);
  /// From here on they end the program.
  static void stop_at_once();
};

}  // namespace minimod
