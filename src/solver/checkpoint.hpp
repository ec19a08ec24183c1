/// The state of a propagator, read out and put back a piece at a time: it may be larger than the memory that
/// is left.
#pragma once

#include <functional>
#include <span>

#include "src/solver/propagator.hpp"

namespace minimod {

/// Takes the values of a part of the state from index `first` on. Parts come one after the other, from their
/// beginning to their end.
using StateSink =
    std::function<void(const FieldPart& part, std::size_t first, std::span<const float> values)>;
/// Gives them.
using StateSource = std::function<void(const FieldPart& part, std::size_t first, std::span<float> values)>;

/// Hands out what the future of a run depends on beside its problem, medium and source, and what the
/// propagator says of itself: steps_done() and is_ahead().
void read_state(Backend& backend, const Propagator& propagator, const StateSink& sink);

/// The same bits follow as in the one that it was read from, whose problem, medium, source and, where a step
/// was ahead, schedule this one has.
void put_back(Backend& backend, int steps_done, bool is_ahead, const StateSource& source,
              Propagator& propagator);

}  // namespace minimod
