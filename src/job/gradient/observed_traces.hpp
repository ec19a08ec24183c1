/// Observed traces for the shots of a plan: where they are, and that they are of the same receivers and
/// times.
#pragma once

#include <filesystem>
#include <string>

#include "src/io/gather/recorded_traces.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

/// The file of a shot: `observed` itself, which then is of one shot, or in that folder or its folder `shots`
/// the gather of the shot's number in any format. Error 66 with the first place that was looked at, 64 a
/// file for several shots.
[[nodiscard]] std::filesystem::path observed_file(const std::string& observed, const SurveyPlan& plan,
                                                  int shot);

/// The traces of a shot's receivers at its times. Errors: those of read_recorded_traces; 65 with the first
/// difference of receivers, times or unit.
[[nodiscard]] Reals observed_traces(const std::filesystem::path& file, const RunPlan& plan, const Shot& shot,
                                    CoordinateKind coordinates);

}  // namespace minimod
