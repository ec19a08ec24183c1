/// Kokkos in a process that is not the program's.
#pragma once

namespace minimod {

/// Once in a process, which may have started it itself, and to its end: a caller may keep simulations until
/// then.
void start_kokkos();

}  // namespace minimod
