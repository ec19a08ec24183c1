/// How much memory of the host can still be used.
#pragma once

#include <cstddef>

namespace minimod {

/// Bytes that the kernel calls available, and no more than the control group and the limits of this process
/// still allow.
[[nodiscard]] std::size_t available_host_memory();

}  // namespace minimod
