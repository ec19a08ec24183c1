/// What a rank had of a run.
#pragma once

#include <cstdint>

#include "src/ranks/slab.hpp"

namespace minimod {

struct RankShare {
  Slab slab;
  double seconds = 0;           ///< of its time loop
  std::int64_t bytes_sent = 0;  ///< to its neighbours
  double exchange_seconds = 0;  ///< of the host in exchanges; a GPU goes on meanwhile
  double wait_seconds = 0;      ///< of a step, of the device for halos
};

}  // namespace minimod
