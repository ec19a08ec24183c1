#include "src/python/core/computing_thread.hpp"

#include <chrono>
#include <exception>
#include <map>
#include <thread>
#include <utility>

#include <unistd.h>

#include "src/base/small_values.hpp"
#include "src/device/device_option.hpp"
#include "src/library/kokkos_start.hpp"

namespace minimod {

namespace {

/// Milliseconds between two looks for Ctrl-C: short for a person, and rare beside any work.
constexpr std::chrono::milliseconds patience(20);

}  // namespace

ComputingThread& ComputingThread::of(const std::string& device) {
  static std::mutex mutex;
  static std::map<std::pair<pid_t, std::string>, ComputingThread*> threads;  // to the end of the process
  const DeviceOption option = parse_device(device);
  const bool by_number = option.kind == DeviceOption::Kind::gpu && device.find(':') != std::string::npos;
  const std::lock_guard held(mutex);
  const auto thread_of = [&](const std::string& name) -> ComputingThread& {
    ComputingThread*& thread = threads[{getpid(), name}];
    if (thread == nullptr) thread = new ComputingThread;
    return *thread;
  };
  ComputingThread& first = thread_of("");
  first.run(
      start_kokkos, [] {}, [] {});
  return by_number ? thread_of(device) : first;
}

ComputingThread::ComputingThread() {
  std::thread([this] { serve(); }).detach();
}

void ComputingThread::serve() {
  const SmallValuesAreZero here;
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
