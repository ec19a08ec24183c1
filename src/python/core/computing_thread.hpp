/// Threads that compute for the threads of Python, which meanwhile hear Ctrl-C.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <string>

namespace minimod {

/// Takes work from any thread, one piece after the other, to the end of the process. OpenMP's threads are its
/// own, and Kokkos, which is started on the first of them.
class ComputingThread {
 public:
  /// The thread of a device by what it was asked for as: GPUs by number have one each, and all else has one,
  /// since all cores compute together. A process that was forked has others than its parent.
  [[nodiscard]] static ComputingThread& of(const std::string& device);

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
