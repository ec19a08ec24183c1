/// The system's limits on this process: open files, threads, memory, a stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "src/base/error.hpp"

namespace minimod {

/// Error 71 where `error`, a value of errno, says that files, threads or memory are used up; none for all
/// others. `what` has failed: "cannot read 'model.h5'".
[[nodiscard]] std::optional<Error> shortage(int error, const std::string& what);

/// Errors: 71 where the limits of this process leave less than what any command takes, of files, stack or
/// memory. Call it before the libraries, some of which do not hear of a call that fails by a limit.
void check_limits();

/// Error 71 where fewer than `count` files more can be opened.
void require_files(int count);

/// Error 71 where the limits leave less memory than the libraries take beside the arrays of a run.
void require_memory();

/// Bytes that the limits on memory (ulimit -v, -d) leave beyond what the libraries take; the greatest number
/// where there are none.
[[nodiscard]] std::size_t memory_within_limits();

}  // namespace minimod
