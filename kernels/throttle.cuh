/// Keeps the blocks of a persistent launch in step, plane by plane.
#pragma once

#include "kernels/tile_walk.hpp"

namespace minimod {

/// Blocks that drift apart push each other's halo lines out of the L2, which then come from memory again. A
/// block therefore asks for plane i of its tile only when every block of the round has asked for plane i - 1.
/// Only the thread that starts the copies waits. One counter a plane and round, each in a line of its own,
/// zero before the launch.
///
/// The order of the planes does not touch the results: a block that has waited for one plane in vain for some
/// 20 ms (some other block is not on the GPU, and may never be) waits no more, and is only slower.
class Throttle {
 public:
  static constexpr int line = 32;  ///< counters from one to the next: 128 B

  __device__ Throttle(unsigned* counters, const TileWalk& walk, int planes)
      : counters_(counters), walk_(walk), planes_(planes) {}

  [[nodiscard]] static std::size_t bytes(const TileWalk& walk, int planes) {
    return static_cast<std::size_t>(walk.rounds()) * planes * line * sizeof(unsigned);
  }

  __device__ void pass(int round, int plane) {
    unsigned* counter = counters_ + (static_cast<std::size_t>(round) * planes_ + plane) * line;
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    if (plane == 0) return;
    counter -= line;
    const unsigned all = walk_.blocks_in_round(round);
    for (int looks = patience_; looks > 0; --looks) {
      unsigned passed = 0;
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(passed) : "l"(counter) : "memory");
      if (passed >= all) return;
    }
    patience_ = 0;
  }

 private:
  unsigned* counters_;
  const TileWalk& walk_;
  int planes_;
  int patience_ = 1 << 15;  ///< looks at a counter, of 0.6 µs each
};

}  // namespace minimod
