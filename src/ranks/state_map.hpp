/// Where the state of each slab lies in that of the whole domain.
#pragma once

#include <string>
#include <vector>

#include "src/ranks/slab.hpp"

namespace minimod {

class Schedule;

/// Values that follow each other in both.
struct StateRun {
  int rank = 0;
  std::size_t here = 0;       ///< first of them in the rank's part
  std::size_t in_domain = 0;  ///< first of them in the domain's
  std::size_t count = 0;
};

/// A part of the state (FieldPart) and the runs that make it up, in the order of the domain's values.
struct StatePart {
  std::string name;
  std::size_t size = 0;  ///< values in the domain
  std::vector<StateRun> runs;
};

/// Of the parts that Propagator::state(false) has, in that order, as they lie in memory under a schedule. Its
/// ghosts have no part in it.
[[nodiscard]] std::vector<StatePart> state_of_domain(const StepProblem& domain, const Boundary& boundary,
                                                     const std::vector<Slab>& slabs,
                                                     const Schedule& schedule);

}  // namespace minimod
