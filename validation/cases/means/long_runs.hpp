/// Runs far longer than a shot, in small boxes: what the cases `long` and `long_all` share.
#pragma once

#include <vector>

#include "src/solver/schedules.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod {

enum class LongMedium {
  constant,  ///< 2000 m/s
  layered,   ///< 1500 over 5500 m/s, through the layers of the boundary, too
  random,    ///< from node to node anything between these
};

/// A setup that is run on and on.
struct LongRun {
  BoundaryKind kind = BoundaryKind::pml;
  int width = 0;           ///< points of the layer; 0: a closed box
  double share = 0;        ///< share of the stability limit
  bool is_uneven = false;  ///< 10, 6 and 14 m along the axes instead of 10
  LongMedium medium = LongMedium::constant;
  bool free_surface = false;
  bool has_mean = false;                     ///< a Gaussian source instead of a Ricker wavelet
  const Schedule& (*schedule)() = sequence;  ///< on a GPU
};

/// Runs them for so many steps. Two figures a run: by how much of its value at the source's end the energy
/// rises above that, at any of 20 looks until the last step; and, but for a closed box, what is left then
/// over what was left half-way.
[[nodiscard]] CaseReport report_long_runs(Runner& runner, const std::vector<LongRun>& runs, int steps);

}  // namespace minimod
