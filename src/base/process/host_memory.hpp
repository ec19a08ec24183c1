/// Memory of the host: how much can still be used, and its pages.
#pragma once

#include <cstddef>

namespace minimod {

/// Bytes that the kernel calls available, and no more than the control group and the limits of this process
/// still allow.
[[nodiscard]] std::size_t available_host_memory();

/// Asks for large pages of memory that is about to be filled, where the system has them.
void ask_for_huge_pages(void* memory, std::size_t bytes);

/// Has all cores make the pages of much memory that is about to be filled: whoever filled it would wait for
/// the system to clear one after the other.
void make_pages(void* memory, std::size_t bytes);

}  // namespace minimod
