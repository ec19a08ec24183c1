/// The state of a propagator on the host.
#pragma once

#include <vector>

#include "src/solver/propagator.hpp"

namespace minimod {

/// What the future of a run depends on beside its problem, medium and source.
struct Checkpoint {
  int steps_done = 0;
  bool is_ahead = false;                  ///< the next step is computed already
  std::vector<std::vector<char>> fields;  ///< in the order of Propagator::state
};

[[nodiscard]] Checkpoint read_checkpoint(Backend& backend, const Propagator& propagator);

/// The same bits follow as in the one that it was read from, whose problem, medium, source and, where a step
/// was ahead, schedule this one has. Error 65 for the state of another.
void put_back(Backend& backend, const Checkpoint& checkpoint, Propagator& propagator);

}  // namespace minimod
