/// A state whose parts lie on ranks and pass through the first one, a piece at a time: it may be larger than
/// the memory that is left there.
#pragma once

#include "src/ranks/ranks.hpp"
#include "src/ranks/state_map.hpp"
#include "src/solver/neighbours.hpp"

namespace minimod {

/// Takes values of this rank's share of a part, by its name, from number `first` on, or puts them there.
using OwnValues = std::function<void(const std::string& part, std::size_t first, Reals& values)>;

/// Hands the state to the first rank's sink. All ranks make the call; an error of that sink is thrown on all,
/// at the end.
void collect_on_first(Ranks& ranks, const std::vector<StatePart>& state, const OwnValues& take,
                      const StateSink& sink);
/// Puts there what the first rank's source gives, likewise.
void distribute_from_first(Ranks& ranks, const std::vector<StatePart>& state, const OwnValues& put,
                           const StateSource& source);

}  // namespace minimod
