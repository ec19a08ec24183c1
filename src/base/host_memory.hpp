/// How much memory of the host can still be used.
#pragma once

#include <cstddef>

namespace minimod {

/// Bytes that the kernel calls available, and no more than the control group still allows.
[[nodiscard]] std::size_t available_host_memory();

}  // namespace minimod
