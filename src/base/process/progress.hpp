/// The progress of a time loop, or of other work: a bar on a terminal, a few plain lines otherwise; on
/// stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace minimod {

class Progress {
 public:
  /// Progress of `steps` steps of `points` points each, of which `first` are done already. No points: no rate
  /// is shown. `what`: what plain lines call a step.
  Progress(std::int64_t steps, std::int64_t points, std::int64_t first = 0, const char* what = "step");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Shows how far the loop is, its rate and the time left, not oftener than a person can read.
  /// `note` stands before the rate.
  void update(std::int64_t steps_done, const std::string& note = "");

  /// Has what is told next begin a line, where a bar stands.
  static void break_line();

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t steps_, first_;
  double points_;
  const char* what_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace minimod
