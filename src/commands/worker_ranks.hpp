/// The ranks of commands whose own process has none and whose workers have them.
#pragma once

#include "src/job/plan/shot_options.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// Has a single shot cut among the ranks of --ranks as a survey's are among those of --ranks-per-shot.
void take_ranks_of_shot(ShotOptions& options);

/// Errors where this process, of a survey or of a command for one shot that starts a worker, is one of
/// several, or cannot start those that its options ask for: 64; those of require_ranks.
void check_ranks_of_workers(const ShotOptions& options, const Ranks& ranks);

/// A worker whose shots are cut becomes the mpirun of its ranks, unless it is one of them.
void become_ranks_of_worker(const ShotOptions& options, const Ranks& ranks);

}  // namespace minimod
