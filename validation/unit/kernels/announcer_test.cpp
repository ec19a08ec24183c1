/// The protocol of the ring whose planes are announced, stepped by hand: one thread stands for each group.
#include "kernels/whole/announcer.hpp"

#include <functional>
#include <stdexcept>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/whole/tma_whole.hpp"

using namespace minimod;

namespace {

/// Hopper's barrier: it completes a phase when so many have arrived, and a wait names a phase by its parity.
struct EmulatedBarrier {
  int arrivals = 1, arrived = 0, phase = 0;
  std::function<void()> others;  ///< run while one waits

  void arrive() {
    if (++arrived < arrivals) return;
    arrived = 0;
    ++phase;
  }
  [[nodiscard]] bool passes(int parity) const { return phase % 2 != parity; }
  void wait(int parity) const {
    others();
    if (!passes(parity)) throw std::runtime_error("waits for ever");
  }
};

}  // namespace

TEST_CASE("An announcer that is held back announces every plane", "[unit]") {
  using Shape = TmaWhole;
  constexpr int announcers = 2, stages = Shape::stages_centre, planes = 5 * stages;
  std::vector<EmulatedBarrier> full(stages), empty(stages);
  int written = 0, read = 0, announced[announcers] = {};
  // As far as they come while the announcers do nothing; writer and reader stand for a group each.
  const auto others = [&] {
    const auto passes = [&](const std::vector<EmulatedBarrier>& ring, int plane, int turn) {
      return ring[plane % stages].passes((plane / stages + turn) % 2);
    };
    for (bool moved = true; moved;) {
      moved = false;
      if (written < planes && passes(empty, written, 1)) full[written++ % stages].arrive(), moved = true;
      if (read < written && passes(full, read, 0)) empty[read++ % stages].arrive(), moved = true;
    }
  };
  for (EmulatedBarrier& barrier : full) barrier.others = others;
  for (EmulatedBarrier& barrier : empty) barrier.arrivals = Shape::emptying_centre - Shape::group + 1;

  // In turns of one plane: the one for the odd planes is always as far behind as the ring lets it be.
  for (int turn = 0; turn < planes; ++turn) {
    const int who = turn % announcers;
    const auto count = [&](int plane) {
      CHECK(plane == turn);
      ++announced[who];
    };
    CHECK_NOTHROW(announce_planes<stages, announcers>(full.data(), empty.data(), turn, turn + 1, count));
  }
  CHECK(announced[0] + announced[1] == planes);
  CHECK(read == planes);
}
