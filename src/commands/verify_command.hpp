/// `minimod verify`: the verification cases as a command.
#pragma once

#include "src/commands/options.hpp"

namespace minimod {

/// Runs the cases that were named, `all` of them, or without a name the light ones, prints their figures, and
/// writes the record (`minimod.verify/1`) and the curves (`minimod.verify.curves/1`, a file a case) where
/// asked for. A case whose kernels do not run here has failed. Errors: 64 unknown cases, 65 figures that
/// failed, 69 a device that is not there, 73, 74 and 77 files that cannot be written.
void run_verify(const Options& options);

}  // namespace minimod
