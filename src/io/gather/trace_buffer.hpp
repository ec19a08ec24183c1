/// The traces of a shot in the making.
#pragma once

#include <cstddef>

#include "src/base/reals.hpp"

namespace minimod {

/// The traces of a shot as they come, a batch of samples at a time.
class TraceBuffer {
 public:
  TraceBuffer(std::size_t receivers, std::size_t samples, Precision precision = Precision::float32)
      : samples_(samples), values_(precision, receivers * samples) {}

  /// `batch` is [sample][receiver].
  void append(const Reals& batch);
  /// [receiver][sample], of which the first `filled` samples of each are there.
  [[nodiscard]] Reals& values() { return values_; }
  [[nodiscard]] const Reals& values() const { return values_; }
  [[nodiscard]] std::size_t receivers() const { return samples_ == 0 ? 0 : values_.size() / samples_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] std::size_t filled() const { return filled_; }
  void set_filled(std::size_t filled) { filled_ = filled; }

 private:
  std::size_t samples_, filled_ = 0;
  Reals values_;
};

}  // namespace minimod
