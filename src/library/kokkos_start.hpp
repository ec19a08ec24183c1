/// How Kokkos starts, in the program's process and in another's.
#pragma once

namespace minimod {

/// Error 69 where Kokkos has a back end for GPUs that finds none: it would end the process when it starts.
void require_gpu_of_kokkos();

/// Once in a process, which may have started it itself, and to its end: a caller may keep simulations until
/// then.
void start_kokkos();

}  // namespace minimod
