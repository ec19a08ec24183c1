/// Which shots a survey has, and what they share: all that is decided before the first one runs.
#pragma once

#include <vector>

#include "src/job/plan/plan.hpp"
#include "src/solver/fields/memory.hpp"

namespace minimod {

struct SurveyPlan {
  RunPlan shared;                   ///< with the first of the selected shots placed
  std::vector<ShotGeometry> shots;  ///< all, in the order of their numbers
  std::vector<int> selected;        ///< indices of those that --shots names
  ShotSize largest;                 ///< what the device must hold for any of the selected, beside the fields

  /// Of the selected, in their order.
  [[nodiscard]] const ShotGeometry& shot(std::size_t i) const { return shots[selected[i]]; }
  /// Bytes of the traces of a shot.
  [[nodiscard]] std::size_t trace_bytes(const ShotGeometry& shot) const {
    return shot.receivers.size() * shared.samples() * bytes_of(shared.grid().precision);
  }
};

/// Plans the survey that --sources names, or the one shot without it; `parts` as make_shared_plan has it.
/// Every position of every shot is checked. Errors: those of make_shared_plan, parse_sources and
/// parse_receivers; 64 options that contradict each other, shots that are none of the survey's; 65 what
/// place_shot refuses, with the shot's number; 71 more positions than memory holds.
[[nodiscard]] SurveyPlan make_survey_plan(const ShotOptions& options, int parts = 1);

}  // namespace minimod
