/// Arguments and rounds of a launch of `tma_whole` or `tma_whole_step`: `Shape` is one of these, `Block` is
/// HopperBlock or, on the host, EmulatedBlock.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels/whole/planes_near_slabs.hpp"
#include "kernels/whole/tma_whole.hpp"
#include "kernels/whole/tma_whole_chunks.hpp"
#include "kernels/whole/tma_whole_step.hpp"
#include "kernels/whole/two_steps_pipeline.hpp"
#include "src/base/error.hpp"

namespace minimod {

template <class Shape>
inline constexpr bool lies_in_chunks = requires {
  Shape::in_chunks;
};

/// The march of a block's chunk in a round.
MINIMOD_HD inline March march_of(const RoundWalk& walk, const Round& round, int chunk) {
  return {walk.planes_begin(round, chunk, 0), walk.planes_begin(round, chunk, 1),
          walk.planes_end(round, chunk, 1), round.planes + 2 * stencil_radius};
}

/// Planes near the z slabs whose η a block can keep.
inline constexpr int most_damped_planes = 360;

/// Near which planes of a launch's box the z slabs are, or such as want the general form for another reason:
/// the first one, which may be a free surface, and ghosts.
inline PlanesNearSlabs planes_near_slabs(const DomainArgs& args) {
  const int first_inner = args.box.begin.z + std::max(1, args.slab.ghosts_above);
  return {args.box.begin.z, std::max(args.inner.begin.z, first_inner),
          std::min(args.inner.end.z, args.box.end.z - args.slab.ghosts_below), most_damped_planes};
}

/// Planes of the rim at a box's upper end; 0: there is no neighbour above.
inline int planes_of_rim(const DomainArgs& args) {
  return args.slab.ghosts_above == 0 ? 0 : planes_of_rim(args.slab.ghosts_above, stencil_radius);
}

/// Parts that blocks have in it, in all rounds; 0 where a round cuts it in two.
inline int counts_of_rim(const DomainArgs& args, const RoundWalk& walk) {
  int counts = 0;
  for (int number = 0; number < walk.count; ++number) {
    const Round& round = walk.rounds[number];
    if (round.own_planes < planes_of_rim(args)) return 0;
    counts += round.columns * round.rows;
  }
  return planes_of_rim(args) == 0 ? 0 : counts;
}

/// Whether a block can keep what it must know of the planes of a round's chunks.
inline bool keeps_planes(const PlanesNearSlabs& near, const RoundWalk& walk, const Round& round) {
  for (int chunk = 0; chunk < round.chunks; ++chunk) {
    if (!near.parts(march_of(walk, round, chunk)).is_possible) return false;
  }
  return true;
}

/// The rounds over a box, in which so many blocks can be on the GPU at once.
template <class Shape>
RoundWalk plan_whole(const DomainArgs& args, int most_blocks) {
  const PlanesNearSlabs near = planes_near_slabs(args);
  RoundTuning tuning;
  tuning.most_blocks = most_blocks;
  if (Shape::steps == 2) {
    // Rows of 256 B on three lines take a tenth longer than on two; chunks are columns, of which a launch has
    // all at once, half of them on either side.
    tuning.line = lies_in_chunks<Shape> ? ChunkLayout::width : 32;
    tuning.cuts_x = !lies_in_chunks<Shape>;
    tuning.chunk_lost = 16;    // 2R arrivals that complete no plane, and slower ones at the ends
    tuning.planes_a_turn = 4;  // so that rings of two stages go on across rounds
  } else {
    tuning.radius = 0;      // nobody needs what another block has made
    tuning.chunk_lost = 4;  // as tma_ring's pieces
  }
  tuning.allows_chunks = [&](const RoundWalk& walk, const Round& round) {
    return keeps_planes(near, walk, round);
  };
  return plan_rounds(args.box, args.layout, Shape::tile, tuning);
}

/// Why these rounds over a box are none for a launch; empty where they are.
inline std::string why_refused(const DomainArgs& args, const RoundWalk& walk,
                               const ChunkLayout& chunks = {}) {
  const Extent3 n = args.box.extent();
  if (walk.count == 0)
    return text(n.x, " x ", n.y, " points along x and y, more than ", RoundWalk::most_rounds, " rounds have");
  const PlanesNearSlabs near = planes_near_slabs(args);
  if (!std::all_of(walk.rounds, walk.rounds + walk.count,
                   [&](const Round& round) { return keeps_planes(near, walk, round); })) {
    const int ghosts = args.slab.ghosts_above + args.slab.ghosts_below > 0 ? stencil_radius : 0;
    return text("z slabs of ", n.z - args.inner.extent().z, " planes together, more than ",
                most_damped_planes - 2 * (PlanesNearSlabs::free_planes + 2 * stencil_radius) - ghosts);
  }
  const std::int64_t size = chunks.columns > 0 ? chunks.size() : args.layout.size;
  if (size > most_in_vectors) return text("fields of ", size, " values, more than 2^34");
  return "";
}

/// All that a launch gets.
template <class Shape, class Block>
struct WholeArgs {
  std::conditional_t<lies_in_chunks<Shape>, ChunkArgs<Block>,
                     std::conditional_t<Shape::steps == 2, TwoStepsArgs<Block>, PassArgs<Block>>>
      pass;
  unsigned stride_y, stride_z;  ///< strides of u and of φ, which lie alike, in vectors
  PlanesNearSlabs near;
  int surface;  ///< plane on which u is zero and above which it is odd; one that is never met, where there is
                ///< none
  int rim;      ///< planes of the rim above

  /// The vector of a point, whose x is a multiple of four (mod 2³²).
  [[nodiscard]] MINIMOD_HD unsigned vector_at(int x, int y, int z) const {
    if constexpr (lies_in_chunks<Shape>) {
      return pass.at.vector_at(x, y, z);
    } else {
      return static_cast<unsigned>(pass.args.layout.index(x, y, z) / vector_alignment);
    }
  }
};

/// The maps of a shape's tiles over the fields of a launch.
template <class Shape, class Block>
struct WholeMaps : TileMaps<typename Block::Map> {
  WholeMaps() : TileMaps<typename Block::Map>(Shape::width, Shape::height, Shape::fetch) {}
};

template <class Shape, class Block>
WholeArgs<Shape, Block> whole_args(const DomainArgs& args, const RoundWalk& walk, const SideArgs& sides,
                                   WholeMaps<Shape, Block>& maps) {
  const auto pass = [&] {
    if constexpr (lies_in_chunks<Shape>) {
      return chunk_args<Block>(args, walk, sides);
    } else if constexpr (Shape::steps == 2) {
      return two_steps_args<Block>(args, walk, maps);
    } else {
      return pass_args<Block>(args, walk, static_cast<unsigned*>(args.blocks.workspace), maps);
    }
  };
  constexpr bool in_chunks = lies_in_chunks<Shape>;
  const auto in_vectors = [](std::int64_t values) {
    return static_cast<unsigned>(values / vector_alignment);
  };
  WholeArgs<Shape, Block> given{pass(),
                                in_chunks ? ChunkLayout::vectors_of_row : in_vectors(args.layout.stride_y),
                                in_chunks ? sides.chunks.plane : in_vectors(args.layout.stride_z),
                                planes_near_slabs(args),
                                args.box.begin.z - (args.slab.has_surface ? 0 : most_damped_planes),
                                planes_of_rim(args)};
  if (Shape::steps == 1) given.pass.args.phi_next = args.phi;
  return given;
}

}  // namespace minimod
