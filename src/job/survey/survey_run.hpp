/// A whole survey: its shots on all devices that are asked for, and what is there already left alone.
#pragma once

#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Runs the shots of the survey that --sources names, those that --shots and --worker leave, unless the
/// survey's folder has them. The folder (--output) has `shots/shot_00017.h5` (and `.sgy`) of each, a journal
/// of what is done, checkpoints of what was interrupted, and `survey.json` of how it went. The same files
/// whatever the number of workers and however often it was interrupted. Errors: those of make_survey_plan,
/// take_survey_folder and FolderLock; 75 after a signal; the code of the first shot that failed, when all
/// others are done.
void run_survey(const ShotOptions& options);

}  // namespace minimod
