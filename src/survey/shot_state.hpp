/// What is to be done about a shot of a survey.
#pragma once

#include "src/shot/checkpoint_file.hpp"
#include "src/survey/journal.hpp"

namespace minimod {

/// Nothing, to go on from its checkpoint, or to start it.
enum class ShotState { done, interrupted, not_begun };

/// Trusts nothing: reads every file of a shot that is said to be done. Checkpoints of another configuration
/// are given up.
[[nodiscard]] ShotState state_of(int id, const Configuration& configuration, const Journal& journal,
                                 CheckpointFiles& checkpoints);

}  // namespace minimod
