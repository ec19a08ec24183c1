/// The threads of the CPU: how many there are, and how they wait for each other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include <sched.h>

namespace minimod {

/// Threads that may run at once: the cores that are free to this process.
[[nodiscard]] int available_threads();

/// Whether the caller is one of several threads at work, which must not start others.
[[nodiscard]] bool is_among_threads();

/// Sets the number of threads, before Kokkos starts.
void use_threads(int count);

/// Threads for work of whichever thread asks: that number, or all.
[[nodiscard]] int threads_at_work();

/// Room for the bits of 8192 cores.
using CoreMask = std::array<cpu_set_t, 8>;

/// Cores that the process was started with, which a program notes (program_threads.hpp); none in another's.
extern CoreMask first_cores;

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

/// Values of an array from which waking threads pays.
constexpr std::size_t many_values = 1 << 15;

/// Calls body(i) for 0 <= i < count, on all cores where `many` says that the work is worth waking them for.
/// The calls must not throw, nor depend on each other.
void for_all(int count, bool many, const std::function<void(int)>& body);

}  // namespace minimod
