/// Shots of a run or a survey, and what they share: all that is decided before the first one runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/job/plan/expected_echo.hpp"
#include "src/job/plan/plan.hpp"
#include "src/solver/fields/memory.hpp"

namespace minimod {

struct SurveyPlan {
  std::string date;        ///< date of the start, UTC, ISO 8601
  std::string layer_rule;  ///< as in LayerChoice
  RunPlan shared;
  std::vector<ShotGeometry> shots;  ///< all, in the order of their numbers
  bool default_line = false;        ///< no receivers were asked for
  std::vector<int> selected;        ///< indices of those that --shots names
  Shot first;                       ///< first of the selected
  /// Most that the device must hold for any of the selected, beside the fields.
  ShotSize largest;
  std::optional<ExpectedEcho> echo;   ///< the loudest of all selected
  std::vector<std::string> arrivals;  ///< notes of shots that end before a wave is at a receiver

  /// A shot of the selected, in their order.
  [[nodiscard]] const ShotGeometry& shot(std::size_t i) const { return shots[selected[i]]; }
};

/// Places a shot's positions, in the coordinates that they are given in, in the model; without receivers it
/// has the usual line.
void settle(ShotGeometry& shot, const Ground& ground, const AcquisitionOptions& options);

/// Plans the survey that --sources names, or the one shot without it, which is a survey of one; `parts` as
/// make_ground has it. Every position of every shot is checked. Errors: those of make_ground, make_time_step,
/// parse_sources, parse_receivers and make_plan; 64 options that contradict each other, shots that are none
/// of the survey's; 65 what place_shot refuses, with the shot's number; 71 more positions than memory holds.
[[nodiscard]] SurveyPlan make_survey_plan(const ShotOptions& options, int parts = 1);

}  // namespace minimod
