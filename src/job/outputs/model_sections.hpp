/// Sections of the model through the source, as a run has it on its grid.
#pragma once

#include "models/sampled_medium.hpp"
#include "src/io/gather/gather.hpp"
#include "src/ranks/ranks.hpp"
#include "src/ranks/slab.hpp"

namespace minimod {

/// Through that node, of this rank's planes.
[[nodiscard]] ModelSections take_sections(const SampledMedium& medium, const Slab& slab, Index3 at);
/// Sections of a medium that has all its planes.
[[nodiscard]] inline ModelSections take_sections(const SampledMedium& medium, Index3 at) {
  return take_sections(medium, {0, medium.grid().z}, at);
}

/// Sections of the whole domain, where that is cut: every rank calls it, and has them.
[[nodiscard]] ModelSections take_sections(const SampledMedium& medium, const Slab& slab, Index3 at,
                                          Ranks& ranks);

}  // namespace minimod
