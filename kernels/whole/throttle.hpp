/// Keeps the blocks of a persistent launch in step, plane by plane.
#pragma once

#include <cstddef>

#include "kernels/grid.hpp"

namespace minimod {

/// Blocks that drift apart push each other's halo lines out of the L2, which then come from memory again. A
/// block therefore asks for plane i of its tile only when every block of the round has asked for plane i - 1.
/// Only the thread that starts the copies waits. One counter a plane and round, each in a line of its own,
/// zero before the launch.
///
/// The order of the planes does not touch the results: a block that has waited for one plane in vain for some
/// 20 ms (some other block is not on the GPU, and may never be) waits no more, and is only slower.
template <class Block>
class Throttle {
 public:
  static constexpr int line = 32;  ///< counters from one to the next: 128 B

  explicit MINIMOD_HD Throttle(unsigned* counters) : counters_(counters) {}

  /// `planes`: of all rounds.
  [[nodiscard]] static std::size_t bytes(int planes) { return std::size_t(planes) * line * sizeof(unsigned); }

  /// `before`: planes of the rounds before; `all`: blocks of the round.
  MINIMOD_HD void pass(int before, int plane, unsigned all) {
    unsigned* const counter = at(before, plane);
    Block::count(counter);
    if (plane > 0) wait(counter - line, all);
  }
  /// Passes a plane, of `planes`, and tells of it as soon as the one before has passed. It looks for the
  /// next one's sake right away: what it sees is there when that is asked for.
  MINIMOD_HD void pass_early(int before, int plane, int planes, unsigned all) {
    unsigned* const counter = at(before, plane);
    if (plane == 0) {
      Block::count(counter);
    } else if (seen_ < all) {
      wait(counter - line, all);
    }
    if (plane + 1 < planes) Block::count(counter + line);
    seen_ = Block::look_at(counter);
  }

 private:
  [[nodiscard]] MINIMOD_HD unsigned* at(int before, int plane) const {
    return counters_ + (static_cast<std::size_t>(before) + plane) * line;
  }
  MINIMOD_HD void wait(const unsigned* counter, unsigned all) {
    for (int looks = looks_left_; looks > 0; --looks) {
      if (Block::look_at(counter) >= all) return;
    }
    looks_left_ = 0;
  }

  unsigned* counters_;
  unsigned seen_ = 0;         ///< blocks that had asked for the plane before, when it looked early
  int looks_left_ = 1 << 15;  ///< looks at a counter, of 0.6 µs each
};

}  // namespace minimod
