/// The threads of the CPU: how many there are, and how they wait for each other.
#pragma once

#include <array>
#include <functional>
#include <string>

#include <sched.h>

namespace minimod {

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

/// Threads that may run at once: the cores that are free to this process.
[[nodiscard]] int available_threads();

/// Whether the caller is one of several threads at work, which must not start others.
[[nodiscard]] bool is_among_threads();

/// Sets the number of threads, before Kokkos starts.
void use_threads(int count);

/// Room for the bits of 8192 cores.
using CoreMask = std::array<cpu_set_t, 8>;

/// While it lives, the calling thread may run on all cores that the process was started with, and so may what
/// it starts: where binding is asked for, OpenMP's runtime keeps the first thread on the first of them, which
/// every process and thread that it starts would be kept on, too.
class Unbound {
 public:
  Unbound();
  Unbound(const Unbound&) = delete;
  Unbound& operator=(const Unbound&) = delete;
  ~Unbound();

 private:
  CoreMask before_{};
  bool is_changed_ = false;
};

/// Calls body(i) for 0 <= i < count, on all cores where `many` says that the work is worth waking them for.
/// The calls must not throw, nor depend on each other.
void for_all(int count, bool many, const std::function<void(int)>& body);

}  // namespace minimod
