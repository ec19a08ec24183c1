/// The threads of the program as a whole, which no library may decide: it stands in front of two functions of
/// the C library (getenv, pthread_create) and looks around before the others are loaded.
#pragma once

#include <string>

namespace minimod {

/// Looks at what the process was started with; call it before the libraries set themselves up. Where binding
/// is asked for, GNU's runtime binds the first thread when it is loaded: the cores are noted before. Where
/// the number of threads is wrong, it would say so in a line of its own: it does not see it, and
/// settle_threads says it.
void look_at_threads(char** environment);

/// Has the threads of OpenMP stay unbound and, between two loops, spin for microseconds only before they
/// sleep: a run that shares its cores with another leaves them while it waits. What the environment says of
/// it (OMP_PROC_BIND, OMP_PLACES, OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME) stands above that. Call it
/// first in main. GNU's runtime reads the environment when it is loaded, before main: a getenv of the
/// program's own answers it then. Errors: 64 where OMP_NUM_THREADS or a number among Kokkos' settings is
/// none. Where the runtime cannot start a thread, the process ends with a line and code 71, not with the
/// runtime's own 1: a pthread_create of the program's own sees to it.
void settle_threads();

/// Keeps the threads of loops to what Kokkos holds, here and in what this process starts; call it before
/// Kokkos starts. Returns what is to be said of it; nothing where they are no more.
[[nodiscard]] std::string bound_threads();

}  // namespace minimod
