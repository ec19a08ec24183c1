/// The work of a search: compiles candidates beside each other, verifies and times them one by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/measure/measurement.hpp"
#include "src/tune/tune_record.hpp"

namespace minimod {

/// Fills a record. Both functions leave alone what is known already, call `keep` when there is more to keep
/// on disk, and return early when a signal came.
class Tuner {
 public:
  /// Of fields without a layer: all points are the inner kernel's.
  Tuner(const Setup& setup, const DeviceChoice& choice, TuneRecord& record, std::function<void()> keep);

  /// Compiles, on all cores, those that are waiting, of these candidates.
  void compile(const std::vector<std::size_t>& candidates);
  /// Verifies and times those that are not done, of these candidates, in that order.
  void measure(const std::vector<std::size_t>& candidates, int repeats);

 private:
  void compile_one(TuneCandidate& candidate) const;
  void measure_one(TuneCandidate& candidate, int repeats);
  /// Why it is refused, empty where it has its seconds.
  [[nodiscard]] std::string time_runs(TuneCandidate& candidate, const KernelSet& kernels, int repeats);
  [[nodiscard]] double seconds_of_step(int steps);

  Setup setup_;
  const DeviceChoice& choice_;
  TuneRecord& record_;
  std::function<void()> keep_;
  Verification verification_;
  DomainPart part_;  ///< made when it is needed first
};

}  // namespace minimod
