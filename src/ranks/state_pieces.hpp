/// A state whose parts lie on ranks and pass through the first one, a piece at a time: it may be larger than
/// the memory that is left there.
#pragma once

#include "src/ranks/ranks.hpp"
#include "src/ranks/state_map.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

/// Hands the state to the first rank's sink. `mine`: this rank's share on the device, parts by their names.
/// All ranks make the call; an error of that sink is thrown on all, at the end.
void collect_on_first(Ranks& ranks, Backend& backend, const std::vector<StatePart>& state,
                      const std::vector<FieldPart>& mine, const StateSink& sink);
/// Puts there what the first rank's source gives, likewise.
void distribute_from_first(Ranks& ranks, Backend& backend, const std::vector<StatePart>& state,
                           const std::vector<FieldPart>& mine, const StateSource& source);

}  // namespace minimod
