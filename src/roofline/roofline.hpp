/// `minimod roofline`: ceilings, kernels, counters, and the report that holds them against each other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/measure/measure_options.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"

namespace minimod {

/// Parameters by their names in the table of options, each with its value.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct RooflineOptions {
  MeasureOptions measure;
  /// Specifications whose kernels are measured; nothing: the wave equation's.
  std::optional<StencilMeasureOptions> stencil;
  /// Steps for which a profiler that the user drives is switched on.
  std::optional<StepRange> profile_range;
  bool no_counters = false;  ///< leave hardware counters where they are
  bool strict = false;       ///< a failed check is an error
  std::string folder = ".";  ///< folder of the report
  /// The words by which a profiler has this program run with these parameters.
  std::function<std::vector<std::string>(const Parameters&)> call;

  RooflineOptions() { measure.field = BenchField::source; }
};

/// Measures and writes the report into options.folder. With --profile-range it only runs those steps of the
/// kernels for a profiler that the user drives, and writes nothing. Errors: 64 as bench; 65 a kernel that
/// computes something else than the reference or its equations, or with --strict a failed check; 69 no such
/// device; 71 too little memory; 73, 74, 77 the report cannot be written.
void run_roofline(const RooflineOptions& options);

}  // namespace minimod
