#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The stage of a ring that is next, and the parity of its present use.
template <int Stages>
struct RingCursor {
  int stage = 0, parity = 0;
  MINIMOD_HD void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

}  // namespace minimod
