/// How a box is cut into rounds, before the launch.
#pragma once

#include <functional>

#include "kernels/whole/round_walk.hpp"

namespace minimod {

/// Figures that decide how a box is cut into rounds.
struct RoundTuning {
  int radius = stencil_radius;
  int line = 1;           ///< rounds that overlap begin on multiples of this along x, as tiles do
  int rows = 1;           ///< the same along y
  bool cuts_x = true;     ///< a round may have some of the columns alone
  int most_blocks = 1;    ///< blocks that can be on the GPU at once
  int planes_a_turn = 1;  ///< planes of a round are a multiple of this
  double chunk_lost = 0;  ///< time that a chunk takes beyond that of its planes, in planes
  /// Whether a round of the walk may have the chunks that it has, more than one.
  std::function<bool(const RoundWalk&, const Round&)> allows_chunks = [](const auto&...) { return false; };
};

/// The rounds that promise to be fastest: a plane takes the same time whatever the number of blocks, and so
/// the fewest planes win. The cut along x and y goes by the box along x and y alone: slabs of a domain that
/// is cut along z then have the tiles of the whole. None (count 0) when there would be more than most_rounds.
[[nodiscard]] RoundWalk plan_rounds(const Box3& box, const Layout& at, Extent3 tile,
                                    const RoundTuning& tuning);

}  // namespace minimod
