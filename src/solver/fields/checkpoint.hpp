/// The state of a propagator, read out and put back a piece at a time: it may be larger than the memory that
/// is left.
#pragma once

#include "src/solver/propagator.hpp"

namespace minimod {

/// Hands out what the future of a run depends on beside its problem, medium and source, and what the
/// propagator says of itself: steps_done() and is_ahead(). Of slabs it is the domain's, through the first
/// one.
void read_state(const Propagator& propagator, const StateSink& sink);

/// Reads the state of this propagator alone: of a slab what that has, halos included.
void read_own_state(const Propagator& propagator, const StateSink& sink);

/// Bytes of all that read_state hands out.
[[nodiscard]] std::size_t state_bytes(const Propagator& propagator);

/// The same bits follow as in the one that it was read from, whose problem, medium, source and, where a step
/// was ahead, schedule this one has.
void put_back(int steps_done, bool is_ahead, const StateSource& source, Propagator& propagator);
/// Puts back what read_own_state has handed out; slabs of a domain all do so.
void put_back_own(int steps_done, bool is_ahead, const StateSource& source, Propagator& propagator);

}  // namespace minimod
