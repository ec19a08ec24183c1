/// Sections of the model through the source, as a run has it on its grid.
#pragma once

#include "src/io/gather/gather.hpp"
#include "src/job/plan/plan.hpp"
#include "src/ranks/ranks.hpp"

namespace minimod {

/// Through that node, of all planes or of this rank's slab; of the plan it reads what all shots share.
[[nodiscard]] ModelSections take_sections(const RunPlan& plan, Index3 at);
/// Through the first source of the plan.
[[nodiscard]] inline ModelSections take_sections(const RunPlan& plan) {
  return take_sections(plan, plan.shot.sources.front().node);
}

/// The same of the whole domain, where that is cut: every rank calls it, and has them.
[[nodiscard]] ModelSections take_sections(const RunPlan& plan, Ranks& ranks);

/// The sections of the run that `options` describe, with its source and receivers, into the file that the
/// plan names. Errors: as make_plan and write_sections.
void write_model_sections(const ShotOptions& options);

}  // namespace minimod
