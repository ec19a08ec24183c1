/// Work of all cores whose results go through one hand.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "src/base/process/threads.hpp"

namespace minimod {

/// Calls make(i) for 0 <= i < count on all cores, and take(i, what it made) behind it, one at a time and in
/// the order of i, each by the thread that made it. What one of them throws comes when all have ended; behind
/// it nothing is taken any more. Threads of its own, since those of OpenMP are lost to a process that forked.
template <class Make, class Take>
void in_order(std::size_t count, const Make& make, const Take& take) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable passed_on;
  std::size_t turn = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      std::optional<decltype(make(i))> made;
      std::exception_ptr why_not;
      try {
        made.emplace(make(i));
      } catch (...) {
        why_not = std::current_exception();
      }
      std::unique_lock lock(mutex);
      passed_on.wait(lock, [&] { return turn == i; });
      try {
        if (failure == nullptr && why_not != nullptr) std::rethrow_exception(why_not);
        if (failure == nullptr) take(i, *made);
      } catch (...) {
        failure = std::current_exception();
        next = count;
      }
      ++turn;
      passed_on.notify_all();
    }
  };
  {
    const Unbound unbound;
    std::vector<std::jthread> others;
    const std::size_t threads = std::min(static_cast<std::size_t>(threads_at_work()), count);
    try {
      while (others.size() + 1 < threads) others.emplace_back(work);
    } catch (const std::system_error&) {  // fewer do it, too
    }
    work();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace minimod
