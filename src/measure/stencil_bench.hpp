/// `minimod bench --stencil`: verifies kernels of stencils and measures their speed.
#pragma once

#include <string>

#include "src/measure/stencil_measurement.hpp"

namespace minimod {

struct StencilBenchOptions {
  StencilMeasureOptions measure;
  int repeats = 5;     ///< timed runs of each kernel
  std::string json;    ///< file of the record, empty for none
  std::string csv;     ///< file of the table, empty for none
  bool force = false;  ///< replace a record and a table that are there
};

/// Every kernel of every stencil that can be: all verified first, side by side, against the interpreter on a
/// small awkward grid, then timed one after the other on --grid over --steps, with the streaming ceiling
/// measured before. Prints a table, a stencil after the other, and writes --json and --csv. Errors: 64 no
/// such kernels, 65 a kernel was wrong (it is not timed), 66 no such stencil, 69 no device or compiler,
/// nothing runs, 71, 73, 74.
void bench_stencils(const StencilBenchOptions& options);

}  // namespace minimod
