/// `minimod tune`: the fastest tile of a family of code shapes.
#pragma once

#include <optional>
#include <string>

#include "src/base/extents.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"
#include "src/tune/tune_record.hpp"

namespace minimod {

struct TuneOptions {
  KernelOptions kernels;  ///< `kernel` is a family; device and emulate are followed, too
  /// Specification that is tuned in place of the wave equation.
  std::optional<StencilMeasureOptions> stencil;
  std::optional<Extent3> grid;
  std::string
      patterns;  ///< patterns of the shell with commas between, for names of candidates; empty: all match
  std::optional<int> limit;                ///< most candidates
  bool exhaustive = false, model = false;  ///< neither: by the number of candidates
  std::optional<double> cutoff;            ///< percent of the candidates that the model has run
  int steps = 20;                          ///< steps of a timed run
  int repeats = 7;                         ///< timed runs of each candidate
  Objective objective = Objective::speed;  ///< energy: a run lasts a second
  std::string from;                        ///< a record that is there: nothing runs
  std::string output;                      ///< file of the record, empty for none
  bool force = false;                      ///< begin anew where there is a record
};

/// Compiles every tile of the family's space that is asked for, verifies those that are to run against the
/// host's `reference` (of a stencil its equations) on a small awkward grid, and times their inner launch on
/// the whole of `grid`. The best is the fastest, or the one of the most points a joule. Prints a table, the
/// fastest, and what the model (performance_model.hpp) makes of them. With an output, goes on with the record
/// that is there. Errors: 64 contradictions, no such family, one without tiles, nothing to try; 65 a
/// candidate was wrong (it is not timed), a damaged record; 69 no device, no compiler, no figures of energy;
/// 71; 73 a record of another search; 75 stopped: the record has what was found; 66, 74, 77.
void run_tune(const TuneOptions& options);

}  // namespace minimod
