/// One kernel on a plate: that it is right, how fast it converges, how fast it is.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/measure/measurement.hpp"
#include "src/relaxation/heat_options.hpp"

namespace minimod::relaxation {

/// What is measured, with all defaults decided.
struct HeatSetup {
  HeatProblem problem;
  double omega = 1, tolerance = 0;
  Precision precision = Precision::float32;
  int iterations = 100, repeats = 7;
};

/// Whether the kernel leaves the bits of the portable one after 20 iterations on 61 x 45 random nodes;
/// `sequential`, whose order is another, passes when it comes to the same field in double precision.
[[nodiscard]] bool is_right(Backend& backend, const Kernel& kernel, Precision precision);

/// The greatest difference from the series among up to 64 x 64 nodes of the inner half of the plate, relative
/// to the problem's scale. Beside the corners, where sides of two temperatures meet, no grid resolves the
/// solution: there the error does not fall.
[[nodiscard]] double error_of(const HeatProblem& problem, const std::vector<double>& temperatures);

struct HeatMeasurement {
  const Kernel* kernel = nullptr;
  Convergence outcome;
  double error = 0;       ///< error_of the field that it converged to
  double converging = 0;  ///< seconds of it, copies and looks included
  Spread seconds;         ///< of a timed run without copies
  Spread run_seconds;     ///< with them
  LaunchFacts facts;

  /// Iterations times nodes a second, in units of 10⁶.
  [[nodiscard]] Spread mcell_per_s(const HeatSetup& setup) const;
};

[[nodiscard]] HeatMeasurement measure_heat(Backend& backend, const Kernel& kernel, const HeatSetup& setup);

/// Bytes a node and iteration at least, of memory whose lines are moved whole: all values are read twice, and
/// those of a colour written, which has lines of its own or shares them with the other.
[[nodiscard]] double bytes_of_node(const Kernel& kernel, Precision precision);

}  // namespace minimod::relaxation
