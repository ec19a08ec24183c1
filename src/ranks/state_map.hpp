/// Where the state of each slab lies in that of the whole domain.
#pragma once

#include <string>
#include <vector>

#include "kernels/grid.hpp"
#include "src/solver/fields/field_table.hpp"

namespace minimod {

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
  Precision precision = Precision::float32;
  std::size_t size = 0;  ///< values in the domain
  std::vector<StateRun> runs;
  [[nodiscard]] std::size_t bytes() const { return size * bytes_of(precision); }
};

/// Bytes of all parts.
[[nodiscard]] std::size_t bytes_of(const std::vector<StatePart>& state);

/// A slab and the arrays of its propagator.
struct SlabFields {
  Grid grid;
  FieldTable table;
};

/// Parts of the arrays in a domain's state without a step that is ahead, in their order. Ghosts have no part
/// in it.
[[nodiscard]] std::vector<StatePart> state_of_domain(const FieldTable& domain,
                                                     const std::vector<SlabFields>& slabs);

}  // namespace minimod
