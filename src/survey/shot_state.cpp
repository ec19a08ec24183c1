#include "src/survey/shot_state.hpp"

namespace minimod {

ShotState state_of(int id, const Configuration& configuration, const Journal& journal,
                   CheckpointFiles& checkpoints) {
  if (journal.is_done(id, hash_of(configuration))) return ShotState::done;
  checkpoints.check(configuration, true);
  return checkpoints.step() ? ShotState::interrupted : ShotState::not_begun;
}

}  // namespace minimod
