/// `minimod bench`: verifies kernels and measures their speed.
#pragma once

#include <optional>

#include "src/measure/measure_options.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"
#include "src/measure/timing.hpp"
#include "src/ranks/rank_options.hpp"

namespace minimod {

struct BenchOptions {
  MeasureOptions measure;
  std::optional<StencilMeasureOptions> stencil;  ///< specifications measured in place of the wave equation
  RankOptions ranks;                             ///< the domain is cut among them
  RunsWanted runs = {};                          ///< timed runs of each kernel
  bool no_energy = false;                        ///< do not measure energy
  ReportFiles files;
};

/// Every shape that matches --kernel (a name, a pattern of the shell, `all` or `auto`) and runs on the
/// device: first verified against the host's `reference` on a small awkward grid, then timed on --grid over
/// --steps: a warm-up run and the runs wanted, with the streaming ceiling measured beforehand. Prints a table
/// in the order of the paper's Table II with its seconds beside ours, and writes --json and --csv. Where the
/// grid is cut among ranks, each slab is verified and measured beside the others: seconds are those of the
/// slowest rank, the ceiling is what all ranks stream at once. Errors: as choose_devices; 64 no shape
/// matches, 65 a shape was wrong (it is not timed), 71, 73, 74.
void bench_waves(const BenchOptions& options);

/// The same of every kernel of every stencil that can be, against the interpreter; of several stencils all
/// are verified first, side by side. Errors: 64 no such kernels, 65 a kernel was wrong, 66 no such stencil,
/// 69 no device or compiler, nothing runs, 71, 73, 74.
void bench_stencils(const BenchOptions& options);

}  // namespace minimod
