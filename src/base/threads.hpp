/// The threads of the CPU: how many there are, and how they wait for each other.
#pragma once

namespace minimod {

/// Has the threads of OpenMP stay unbound and, between two loops, spin for microseconds only before they
/// sleep: a run that shares its cores with another leaves them while it waits. What the environment says of
/// it (OMP_PROC_BIND, OMP_PLACES, OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME) stands above that. Call it
/// first in main: GNU's runtime reads the environment when it is loaded, so the program starts itself anew
/// where nothing is said of waiting. The launcher says all this before, which spares it that.
void settle_threads(char* const* argv);

/// Threads that may run at once: the cores that are free to this process.
[[nodiscard]] int available_threads();

/// Sets the number of threads, before Kokkos starts.
void use_threads(int count);

}  // namespace minimod
