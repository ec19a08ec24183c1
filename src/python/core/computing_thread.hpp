/// The thread that computes for the threads of Python, which meanwhile hear Ctrl-C.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>

namespace minimod {

/// Takes work from any thread, one piece after the other, to the end of the process: Kokkos serves the one
/// thread that has started it.
class ComputingThread {
 public:
  /// The one of this process. Error 69 in a process that was forked from one that has computed: threads do
  /// not come with it.
  [[nodiscard]] static ComputingThread& here();

  /// Has `work` done there and waits for it, calling `meanwhile` every few milliseconds. Where that throws,
  /// `stop` is called, and the exception comes out when the work has ended; else what the work throws.
  void run(const std::function<void()>& work, const std::function<void()>& meanwhile,
           const std::function<void()>& stop);

 private:
  ComputingThread();
  [[noreturn]] void serve();

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::queue<std::function<void()>> waiting_;
};

}  // namespace minimod
