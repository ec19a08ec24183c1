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
#include <utility>
#include <vector>

#include "src/base/process/threads.hpp"

namespace minimod {

/// Calls make(i) for 0 <= i < count on all cores, and take(i, what it made) behind it, one at a time and in
/// the order of i, by whichever of them comes to it: none waits for another's piece but where the others are
/// far behind. What one of them throws comes when all have ended; behind it nothing is taken any more.
/// Threads of its own, since those of OpenMP are lost to a process that forked.
template <class Make, class Take>
void in_order(std::size_t count, const Make& make, const Take& take) {
  struct Piece {
    std::optional<decltype(make(0))> made;
    std::exception_ptr why_not;
    bool is_there = false;
  };
  const std::size_t threads = std::min(static_cast<std::size_t>(threads_at_work()), count);
  std::vector<Piece> pieces(4 * threads);  // pieces from the next that is taken on
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable has_room;
  std::size_t turn = 0;
  bool is_taking = false;
  std::exception_ptr failure;
  const auto take_piece = [&](std::size_t i, Piece piece) {
    if (failure != nullptr) return;
    try {
      if (piece.why_not != nullptr) std::rethrow_exception(piece.why_not);
      take(i, *piece.made);
    } catch (...) {
      failure = std::current_exception();
      next = count;
    }
  };
  const auto take_what_is_there = [&](std::unique_lock<std::mutex>& lock) {
    is_taking = true;
    while (pieces[turn % pieces.size()].is_there) {
      Piece piece = std::exchange(pieces[turn % pieces.size()], {});
      lock.unlock();
      take_piece(turn, std::move(piece));
      lock.lock();
      ++turn;
      has_room.notify_all();
    }
    is_taking = false;
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      Piece piece;
      piece.is_there = true;
      try {
        piece.made.emplace(make(i));
      } catch (...) {
        piece.why_not = std::current_exception();
      }
      std::unique_lock lock(mutex);
      has_room.wait(lock, [&] { return i < turn + pieces.size(); });
      pieces[i % pieces.size()] = std::move(piece);
      if (!is_taking) take_what_is_there(lock);
    }
  };
  {
    const Unbound unbound;
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back(work);
    } catch (const std::system_error&) {  // fewer do it, too
    }
    work();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace minimod
