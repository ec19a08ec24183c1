/// Announces the planes that have gone through a ring of stages.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// Calls publish(plane) for the planes first, first + Announcers, … when all who fill their stage have done
/// so. An announcer counts among those who empty a stage: a wait names the phase of its barrier by the parity
/// alone, and so the ring must not come round twice before the announcer has seen the first time.
template <int Stages, int Announcers, class Barrier, class Publish>
MINIMOD_HD inline void announce_planes(Barrier* full, Barrier* empty, int first, int planes,
                                       const Publish& publish) {
  for (int plane = first; plane < planes; plane += Announcers) {
    const int stage = plane % Stages;
    full[stage].wait(plane / Stages % 2);
    empty[stage].arrive();
    publish(plane);
  }
}

}  // namespace minimod
