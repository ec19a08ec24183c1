/// Observed traces for the shots of a plan: where they are, and that they are of the same receivers and
/// times.
#pragma once

#include <filesystem>
#include <string>

#include "src/io/gather/recorded_traces.hpp"
#include "src/job/plan/survey_plan.hpp"

namespace minimod {

/// Traces that a gradient takes, of a shot or in a folder, by the name of the option that says them.
struct TracesOption {
  std::string name, value;
};

/// The file of a shot: the option's value itself, which then is of one shot, or in that folder or its folder
/// `shots` the gather of the shot's number in any format. Error 66 with the first place that was looked at,
/// 64 a file for several shots.
[[nodiscard]] std::filesystem::path traces_file(const TracesOption& traces, const SurveyPlan& plan, int shot);

/// The traces of a shot's receivers at its times, of its unit or of any. Errors: those of
/// read_recorded_traces; 65 with the first difference of sources, where
/// the file says them (SEG-Y the first), receivers, times or unit.
[[nodiscard]] Reals traces_of_shot(const std::filesystem::path& file, const RunPlan& plan, const Shot& shot,
                                   CoordinateKind coordinates, bool any_unit);

/// Weights of the traces of each selected shot, a line a receiver. Errors: those of read_number_rows; 65 as
/// many as another number of receivers.
[[nodiscard]] std::vector<double> read_trace_weights(const std::string& file, const SurveyPlan& plan);

}  // namespace minimod
