/// Sections of the model through the source, as a run has it on its grid.
#pragma once

#include "src/shot/gather.hpp"
#include "src/shot/plan.hpp"

namespace minimod {

/// Through the source of the plan.
[[nodiscard]] ModelSections take_sections(const RunPlan& plan);

/// The sections of the run that `options` describe, with its source and receivers, into the file that the
/// plan names. Errors: as make_plan and write_sections.
void write_model_sections(const ShotOptions& options);

}  // namespace minimod
