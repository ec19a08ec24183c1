/// The progress of a time loop: a bar on a terminal, a few plain lines otherwise; on stderr.
#pragma once

#include <chrono>
#include <cstdint>

namespace minimod {

class Progress {
 public:
  /// Of `steps` steps of `points` points each.
  Progress(int steps, std::int64_t points);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Shows how far the loop is, its rate and the time left, not oftener than a person can read.
  void update(int steps_done);

 private:
  using Clock = std::chrono::steady_clock;
  int steps_;
  double points_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace minimod
