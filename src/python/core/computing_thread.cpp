#include "src/python/core/computing_thread.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/small_values.hpp"
#include "src/library/kokkos_start.hpp"

namespace minimod {

namespace {

/// Milliseconds between two looks for Ctrl-C: short for a person, and rare beside any work.
constexpr std::chrono::milliseconds patience(20);

}  // namespace

ComputingThread& ComputingThread::here() {
  static ComputingThread& thread = *new ComputingThread;  // to the end of the process
  static const pid_t process = getpid();
  if (process == getpid()) return thread;
  throw Error(ErrorKind::unavailable, "this process was forked from one that has computed with minimod",
              "start it anew: multiprocessing.set_start_method('spawn')");
}

ComputingThread::ComputingThread() {
  std::thread([this] { serve(); }).detach();
}

void ComputingThread::serve() {
  const SmallValuesAreZero zero;
  start_kokkos();
  while (true) {
    std::unique_lock held(mutex_);
    has_work_.wait(held, [this] { return !waiting_.empty(); });
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop();
    held.unlock();
    work();
  }
}

void ComputingThread::run(const std::function<void()>& work, const std::function<void()>& meanwhile,
                          const std::function<void()>& stop) {
  std::mutex mutex;
  std::condition_variable is_done;
  bool done = false;
  std::exception_ptr failure, interruption;
  const auto piece = [&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard held(mutex);
    done = true;
    is_done.notify_all();
  };
  {
    const std::lock_guard held(mutex_);
    waiting_.emplace(piece);
  }
  has_work_.notify_one();
  std::unique_lock held(mutex);
  while (!is_done.wait_for(held, patience, [&] { return done; })) {
    if (interruption) continue;
    held.unlock();
    try {
      meanwhile();
    } catch (...) {
      interruption = std::current_exception();
      stop();
    }
    held.lock();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace minimod
