/// Decisions of the user about ranks.
#pragma once

#include <optional>
#include <vector>

#include "src/ranks/halos/transport.hpp"

namespace minimod {

struct RankOptions {
  std::optional<int> count;            ///< processes that compute the domain together; nothing: as started
  std::vector<int> planes;             ///< planes of each rank's slab; empty: cut by cost
  std::optional<Transport> transport;  ///< nothing: the fastest that works
  bool share_gpu = false;              ///< several ranks may have one GPU
};

/// Error 64 where planes are named for other slabs than those of so many ranks.
void check_slab_count(const RankOptions& options, int ranks);

}  // namespace minimod
