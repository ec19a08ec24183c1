/// A rank's share of a run.
#pragma once

#include <cstdint>

#include "src/ranks/slab.hpp"

namespace minimod {

struct RankShare {
  Slab slab;
  double seconds = 0;           ///< time of its loop over steps
  std::int64_t bytes_sent = 0;  ///< to its neighbours
  double exchange_seconds = 0;  ///< time of the host in exchanges; a GPU goes on meanwhile
  double wait_seconds = 0;      ///< time of a step that the device waits for halos
};

}  // namespace minimod
