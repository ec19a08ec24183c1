/// Wall-clock time that goes by.
#pragma once

#include <chrono>

namespace minimod {

/// Counts from when it is made; a new one in its place counts anew.
class Timer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

}  // namespace minimod
