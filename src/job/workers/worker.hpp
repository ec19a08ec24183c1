/// A worker process (worker_process.hpp) that runs shots of a survey (survey_run.hpp).
#pragma once

#include <string>

#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// Hears first the survey's folder and date and the hash of what its shots share, then runs the shots one
/// after the other. While a shot is written the next one computes, unless `no_shot` stands in between. What
/// it says of itself and of a shot that is done:
///
///     {"ready": "NVIDIA H200", "kernels": "…", "transport": "ipc", "slabs": [200, 200],
///     "measured_layer_cost": 2.1}
///     {"finished": 17, "hash": "1a2b3c4d", "files": […], "seconds": 1.2, "waited_for_files": 0.3,
///     "kernel_seconds": 1.1, "gpt_per_s": 150, "min": -1e-6, "max": 1e-6}
///
/// An error that only a shot is to blame for is a failure of it; any other error ends the process. Where
/// files have been replaced since the survey began, so that this process comes to other hashes, nothing is
/// run: error 65. After a signal that StopRequests noted: error 75, with a checkpoint.
void work_on_survey(ShotOptions options, const std::string& device);

}  // namespace minimod
