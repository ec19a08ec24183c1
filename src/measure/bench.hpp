/// `minimod bench`: verifies code shapes and measures their speed.
#pragma once

#include <string>

#include "src/measure/measure_options.hpp"
#include "src/ranks/rank_options.hpp"

namespace minimod {

struct BenchOptions {
  MeasureOptions measure;
  RankOptions ranks;   ///< the domain is cut among them
  int repeats = 5;     ///< timed runs of each shape
  std::string json;    ///< file of the record, empty for none
  std::string csv;     ///< file of the table, empty for none
  bool force = false;  ///< overwrite an existing record and table
};

/// Every shape that matches --kernel (a name, a pattern of the shell, `all` or `auto`) and runs on the
/// device: first verified against the host's `reference` on a small awkward grid, then timed on --grid over
/// --steps: a warm-up run and --repeats runs, with the streaming ceiling measured beforehand. Prints a table
/// in the order of the paper's Table II with its seconds beside ours, and writes --json and --csv. Where the
/// grid is cut among ranks, each slab is verified and measured beside the others: seconds are those of the
/// slowest rank, the ceiling is what all ranks stream at once. Errors: as choose_devices; 64 no shape
/// matches, 65 a shape was wrong (it is not timed), 71, 73, 74.
void run_bench(const BenchOptions& options);

}  // namespace minimod
