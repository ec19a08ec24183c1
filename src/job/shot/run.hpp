/// One modeling run: from the options to the gather.
#pragma once

#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Runs the shot, writes the gather and the record, and prints facts and figures on stdout. Errors: as
/// make_plan and choose_device; 65 a wavefield that is not finite, or grows after the source's end,
/// within Watch::steps_between_looks steps, 71 too little memory, 74 a gather that cannot be written, 75
/// after a signal, with a checkpoint beside the gather that the next run of the same shot goes on from.
void run_shot(const ShotOptions& options);

}  // namespace minimod
