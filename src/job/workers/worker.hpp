/// A process that runs shots of a survey on one device, as the process that began the survey (survey_run.hpp)
/// asks for them; or the ranks that do so together, of which the first one hears and speaks.
#pragma once

#include <optional>
#include <string>

#include "src/job/plan/shot_options.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// Role of this process by its environment: a worker on that device ("cpu:0", "cuda:1"), or a rank of one, or
/// nothing. Its parent's number is there, too: a worker whose parent has gone ends at once, and so does a
/// rank without mpirun.
[[nodiscard]] std::optional<std::string> worker_device(const Ranks& ranks);

/// "MINIMOD_WORKER=…" for the environment of a worker of this process.
[[nodiscard]] std::string worker_environment(const std::string& device);

/// Reads from stdin a JSON object with the survey's folder and date and the hash of what its shots share,
/// then numbers of selected shots with the hash of each one's configuration, a line each, until its end, and
/// runs them one after the other. While a shot is written the next one computes, unless `no_shot` stands
/// in between. On stdout it says what it
/// does, a JSON object a line:
///
///     {"ready": "NVIDIA H200", "kernels": "…", "transport": "ipc", "slabs": [200, 200],
///     "measured_layer_cost": 2.1}
///     {"begun": 17}   {"steps": 640}   {"computed": 17}
///     {"finished": 17, "hash": "1a2b3c4d", "files": […], "seconds": 1.2, "waited_for_files": 0.3,
///     "kernel_seconds": 1.1, "gpt_per_s": 150, "min": -1e-6, "max": 1e-6}
///     {"failed": 17, "code": 65, "what": "…"}
///
/// Works on a survey's shots. An error that only a shot is to blame for is a failure of it; any other error
/// ends the process. Where files have been replaced since the survey began, so that this process comes to
/// other hashes, nothing is run: error 65. After a signal that StopRequests noted: error 75, with a
/// checkpoint.
void work_on_survey(ShotOptions options, const std::string& device);

}  // namespace minimod
