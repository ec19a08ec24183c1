/// View of a survey, told before it runs.
#pragma once

#include <optional>

#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Prints shots, receivers, samples, steps, what they take on the device and on disk, and how long they take
/// at `rate` (Gpt/s), or without one at that of some steps of the first shot, which run now. Errors: those of
/// make_survey_plan and choose_device; 71 a shot that the device does not hold, without a rate.
void show_survey(const ShotOptions& options, std::optional<double> rate);

/// Sections of the model through the first source, with all sources and receivers of the shot or of the
/// selected shots, into the file that the options name. Errors: those of make_survey_plan and write_sections.
void write_model_sections(const ShotOptions& options);

}  // namespace minimod
