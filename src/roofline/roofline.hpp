/// `minimod roofline`: ceilings, kernels, counters, and the report that holds them against each other.
#pragma once

#include "src/commands/options.hpp"

namespace minimod {

/// Measures and writes the report into options.output. With --profile-range it only runs those steps of the
/// kernels for a profiler that the user drives, and writes nothing. Errors: 64 as bench; 65 a kernel that
/// computes something else than the reference, or with --strict a failed check; 69 no such device; 71 too
/// little memory; 73, 74, 77 the report cannot be written.
void run_roofline(const Options& options);

}  // namespace minimod
