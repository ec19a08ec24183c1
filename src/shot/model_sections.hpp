/// Sections of the model through the source, as a run has it on its grid.
#pragma once

#include <functional>
#include <span>

#include "src/shot/gather.hpp"
#include "src/shot/plan.hpp"

namespace minimod {

/// Takes the sections out of the planes of velocities that a run is filled with.
class SectionTaker {
 public:
  explicit SectionTaker(const RunPlan& plan);

  /// What plane `z` of the grid has of them; `plane` is [y, x] of the whole grid.
  void take(int z, std::span<const float> plane);
  [[nodiscard]] ModelSections& sections() { return sections_; }

 private:
  Box3 box_;     ///< the points of the model
  Index3 at_;    ///< the source's node
  Index3 step_;  ///< between the nodes kept
  int row_;      ///< points of a row of the grid
  ModelSections sections_;
};

/// The sections of the run that `options` describe, with its source and receivers, into the file that the
/// plan names. Errors: as make_plan and write_sections.
void write_model_sections(const ShotOptions& options);

}  // namespace minimod
