/// A worker process (worker_process.hpp) that computes parts of a gradient or an image (gradient_run.hpp).
#pragma once

#include <string>

#include "src/job/gradient/gradient_shots.hpp"

namespace minimod {

/// Hears first the date of the gradient's start, the hash of what its parts share, and how many shots, or
/// slabs of them, this host computes at once, then writes the part of each shot, and its residuals where they
/// are wanted. Lines that it prints, of itself and of a shot whose part is on disk:
///
///     {"ready": "NVIDIA H200", "kernels": "…", "adjoint": "…", "drives": "kept of all 900 steps"}
///     {"finished": 17, "misfit": 0.1, "seconds": 1.2, "shot_seconds": 0.3, "transpose_seconds": 0.8}
///
/// An error that only a shot is to blame for is a failure of it; any other error ends the process. Where
/// files have been replaced since the gradient began, so that this process comes to other hashes, nothing is
/// run: error 65. After a signal that StopRequests noted it ends without a word, and leaves nothing of the
/// shot but a checkpoint.
void work_on_gradient(ShotOptions options, const GradientOptions& gradient, const std::string& device);

}  // namespace minimod
