/// Runs that end before a wave is at any receiver.
#pragma once

#include <string>
#include <vector>

#include "src/base/notes.hpp"
#include "src/job/plan/plan.hpp"

namespace minimod {

/// Notes the shots of a survey that end too early, in one line. An arrival is at the earliest where the
/// wavelet begins (Wavelet::onset), later by the straight way at the greatest velocity of the model. A shot
/// that ends in time is done with at the first receiver in reach.
class ArrivalNotes {
 public:
  explicit ArrivalNotes(const RunPlan& plan)
      : problem_(plan.problem), fastest_(fastest_of(*plan.medium, plan.problem.domain.equation)) {}
  void add(const Shot& shot);
  /// For `shots` of them; none where all end in time.
  [[nodiscard]] std::vector<std::string> lines(std::size_t shots) const { return notes_.lines(shots); }

 private:
  const Problem& problem_;
  double fastest_;  ///< m/s
  SummedNotes notes_{"shots"};
  std::size_t in_reach_ = 0;  ///< the receiver of the shot before, where the next one begins
};

}  // namespace minimod
