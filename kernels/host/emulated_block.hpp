/// Emulates a persistent launch on the host: all threads of all blocks are fibers that take turns, the copy
/// engine is as slow as it may be, and shared memory is NaN until something comes into it. So CI runs the
/// very source of kernels that need Hopper's copy engine and barriers. What is not emulated is the order of
/// memory: a fence that lacks is not found.
#pragma once

#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "kernels/device/tile_maps.hpp"
#include "kernels/host/host_block.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// The blocks of one launch, on this thread of the host.
class EmulatedGrid {
 public:
  EmulatedGrid(int blocks, int threads);

  /// Runs body() for every thread of every block. Throws std::logic_error when none can go on.
  void run(const std::function<void()>& body, std::uint64_t seed);

  [[nodiscard]] static EmulatedGrid& now();
  [[nodiscard]] int block() const { return fibers_.current() / threads_; }
  [[nodiscard]] int thread() const { return fibers_.current() % threads_; }
  /// Lets the others go on.
  void yield() { fibers_.sync(); }
  /// Does it later, as the copy engine would.
  void later(std::function<void()> copy) { copies_.push_back(std::move(copy)); }
  void note_progress() { looks_in_vain_ = 0; }

  /// The barrier of `threads` of a block, which has the number for itself. The bits that one or more came
  /// with.
  unsigned meet(int number, int threads, unsigned mine);

 private:
  /// So many have arrived, for so manieth time; the bits that they came with, of this time and the next.
  struct Meeting {
    int arrived = 0, times = 0;
    unsigned any[2] = {};
  };
  void between_turns();

  int threads_;
  FiberBlock fibers_;
  std::vector<std::vector<Meeting>> meetings_;  ///< meetings of each block's threads
  std::deque<std::function<void()>> copies_;
  std::mt19937_64 random_;
  int looks_in_vain_ = 0;
};

/// Hopper's barrier: a phase is complete when so many have arrived and all announced bytes are there.
class EmulatedBarrier {
 public:
  void init(int arrivals) { expected_ = pending_ = arrivals; }
  void arrive() {
    --pending_;
    complete();
  }
  void arrive_expecting(int bytes) {
    bytes_ += bytes;
    arrive();
  }
  void take(int bytes) {
    bytes_ -= bytes;
    complete();
  }
  void wait(int parity) const {
    while (phase_ % 2 == parity) EmulatedGrid::now().yield();
  }
  static void publish() {}

 private:
  void complete() {
    EmulatedGrid::now().note_progress();
    if (pending_ != 0 || bytes_ != 0) return;
    pending_ = expected_;
    ++phase_;
  }
  int expected_ = 0, pending_ = 0, bytes_ = 0, phase_ = 0;
};

/// A field as the copy engine knows it. Values beyond the reach come as zero.
class EmulatedMap {
 public:
  EmulatedMap(const float* first, Extent3 reach, const Layout& at, int width, int height, Fetch /*fetch*/)
      : first_(first),
        reach_(reach),
        stride_y_(at.stride_y),
        stride_z_(at.stride_z),
        width_(width),
        height_(height) {}

  void load(void* to, Index3 from, EmulatedBarrier& full) const;
  void prefetch(Index3 /*from*/) const {}

 private:
  const float* first_;
  Extent3 reach_;
  std::int64_t stride_y_, stride_z_;
  int width_, height_;
};

/// The same by name as HopperBlock (hopper_block.cuh).
struct EmulatedBlock {
  using Barrier = EmulatedBarrier;
  using Map = EmulatedMap;

  [[nodiscard]] static int index() { return EmulatedGrid::now().block(); }
  [[nodiscard]] static int thread() { return EmulatedGrid::now().thread(); }
  [[nodiscard]] static int thread_anew() { return thread(); }
  static void sync_warp() { any_of_warp(false); }
  static bool any_of_warp(bool mine) { return bits_of_warp(mine) != 0; }
  static unsigned bits_of_warp(bool mine) {
    return EmulatedGrid::now().meet(16 + thread() / 32, 32, unsigned{mine} << thread() % 32);
  }
  template <int Number, int Threads>
  static void sync_group() {
    EmulatedGrid::now().meet(Number, Threads, 0);
  }

  [[nodiscard]] static float reciprocal(float value) { return 1 / value; }
  static void load_if(unsigned wanted, float (&to)[4], const float* from) {
    for (int i = 0; wanted != 0 && i < 4; ++i) to[i] = from[i];
  }
  static void store_if(unsigned wanted, float* to, const float (&from)[4]) {
    for (int i = 0; wanted != 0 && i < 4; ++i) to[i] = from[i];
  }
  static void prefetch_if(unsigned /*wanted*/, const float* /*from*/) {}
  static void add_in_l2(float* to, const float (&what)[4]) {
    for (int i = 0; i < 4; ++i) to[i] += what[i];
  }

  static void copy_piece(Vector4<float>* to, const float* from, int bytes, Barrier& full);
  static void prefetch_piece(const float* /*from*/, int /*bytes*/) {}
  static void copy_beside(Vector4<float>& left, const float* from_left, Vector4<float>& right,
                          const float* from_right, Barrier& full);

  static void count(unsigned* counter) {
    ++*counter;
    EmulatedGrid::now().note_progress();
  }
  [[nodiscard]] static unsigned look_at(const unsigned* counter) {
    EmulatedGrid::now().yield();
    return *counter;
  }
  static void announce(unsigned* progress, unsigned number) {
    *progress = number > *progress ? number : *progress;
    EmulatedGrid::now().note_progress();
  }
  [[nodiscard]] static unsigned announced(const unsigned* progress) {
    EmulatedGrid::now().yield();
    return *progress;
  }
  static void count_for_others(unsigned* counter) { count(counter); }
  static void show_to_copies() {}
};

}  // namespace minimod
