/// The work of a search: compiles candidates beside each other, verifies and times them one by one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/measure/subject.hpp"
#include "src/tune/tune_record.hpp"

namespace minimod {

/// Fills a record. Both functions leave alone what is known already, call `keep` when there is more to keep
/// on disk, and return early when a signal came.
class Tuner {
 public:
  Tuner(Subject& subject, TuneRecord& record, std::function<void()> keep)
      : subject_(subject), record_(record), keep_(std::move(keep)) {}

  /// Compiles, on all cores, those that are waiting, of these candidates.
  void compile(const std::vector<std::size_t>& candidates);
  /// Verifies and times those that are not done, of these candidates, in that order.
  void measure(const std::vector<std::size_t>& candidates, int repeats);

 private:
  void compile_one(TuneCandidate& candidate) const;
  void measure_one(TuneCandidate& candidate, int repeats);
  /// Why it is refused, empty where it has its seconds.
  [[nodiscard]] std::string time_runs(TuneCandidate& candidate, int repeats);

  Subject& subject_;
  TuneRecord& record_;
  std::function<void()> keep_;
};

}  // namespace minimod
