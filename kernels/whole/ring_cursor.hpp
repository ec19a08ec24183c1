#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The stage of a ring that is next, and the parity of its present use.
template <int Stages>
struct RingCursor {
  int stage = 0, parity = 0;
  /// After so many uses.
  [[nodiscard]] static MINIMOD_HD RingCursor after(unsigned uses) {
    return {static_cast<int>(uses % Stages), static_cast<int>(uses / Stages % 2)};
  }
  MINIMOD_HD void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// A ring of two stages after so many uses (mod 4).
MINIMOD_HD inline RingCursor<2> two_stages(int uses) {
  return {uses & 1, uses >> 1 & 1};
}

}  // namespace minimod
