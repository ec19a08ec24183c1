/// The model against what was measured: who it would run, and what that gains and loses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/tune/tune_record.hpp"

namespace minimod {

/// A candidate, by its place in the record, and the rate that the model gives it, in 10^9 points a second.
struct Ranked {
  std::size_t candidate = 0;
  double gpt_per_s = 0;
};

/// The candidates of which the model knows all it needs, the one that it holds for the fastest first; equals
/// in the order of the record. None of the host's.
[[nodiscard]] std::vector<Ranked> ranked_by_model(const TuneRecord& record, ModelForm form);

/// The best that was measured, by the search's objective.
[[nodiscard]] const TuneCandidate* best_of(const TuneRecord& record);

/// Number of candidates that run: the best `percent` of `count`, rounded up.
[[nodiscard]] std::size_t count_within(double percent, std::size_t count);

/// Result of a search by the model where all of its candidates were measured.
struct ModelVerdict {
  std::size_t ranked = 0;  ///< candidates
  std::size_t taken = 0;   ///< candidates taken, by the cutoff
  std::string choice;      ///< the fastest of those that were taken
  double choice_gpt_per_s = 0;
  std::string best;  ///< best of all
  double best_gpt_per_s = 0;
  std::size_t rank_of_best = 0;  ///< by the model; 1 is the first
  double loss = 0;               ///< 1 - choice / best
  double all_seconds = 0;        ///< to verify and to time all
  double taken_seconds = 0;      ///< time for those that were taken
};
/// Nothing where a ranked candidate was not measured, or there is none. Wrong ones are left out.
[[nodiscard]] std::optional<ModelVerdict> judge(const TuneRecord& record, ModelForm form, double percent);

}  // namespace minimod
