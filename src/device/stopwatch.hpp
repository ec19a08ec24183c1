/// Laps between moments behind the launches of a backend's lane 0.
#pragma once

#include <memory>
#include <vector>

#include "src/device/backend.hpp"

namespace minimod {

class Stopwatch {
 public:
  explicit Stopwatch(Backend& backend) : backend_(&backend) {}

  /// Begins the first lap; those before are forgotten.
  void start() {
    set_ = 0;
    set_next();
  }
  /// Ends a lap and begins the next.
  void lap() { set_next(); }
  /// Waits for the end of lap number `lap`, counted from 0.
  [[nodiscard]] double seconds(std::size_t lap = 0) const {
    return marks_[lap + 1]->seconds_since(*marks_[lap]);
  }

 private:
  void set_next() {
    if (set_ == marks_.size()) marks_.push_back(backend_->make_time_mark());
    marks_[set_++]->set();
  }

  Backend* backend_;
  std::vector<std::unique_ptr<TimeMark>> marks_;
  std::size_t set_ = 0;
};

}  // namespace minimod
