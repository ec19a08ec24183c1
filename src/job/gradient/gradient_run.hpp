/// The gradient of a survey's misfit, or of one shot's, by the velocities of the model's nodes, or an image.
#pragma once

#include "src/job/gradient/gradient_shots.hpp"

namespace minimod {

/// Has workers, as a survey has them (gradient_worker.hpp), leave each shot's part in a folder beside the
/// output until the sum over the shots, in the order of their numbers, is written. A call that finds parts of
/// the same configuration goes on from them: the same bits with any number of workers, and however often it
/// was interrupted. All traces are read and checked before a worker starts. Prints facts, and misfit and time
/// of each shot, on stdout. Errors: those of GradientShots, workers_of, check_devices, check_gradient_memory
/// and traces_of_shot; 64 options that a gradient does not have; 74 a disk without room; 75 after a signal;
/// the code of the first shot that failed, when all others are done.
void run_gradient(const ShotOptions& options, const GradientOptions& gradient);

}  // namespace minimod
