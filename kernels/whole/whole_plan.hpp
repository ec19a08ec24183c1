/// How a launch of `tma_whole` or `tma_whole_step` is planned, and its arguments made: `Shape` is one of
/// these, `Block` is HopperBlock or, on the host, EmulatedBlock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "kernels/device/tile_maps.hpp"
#include "kernels/whole/round_planner.hpp"
#include "kernels/whole/whole_args.hpp"
#include "src/base/error.hpp"

namespace minimod {

/// Near which planes of a launch's box the z slabs are, or such as want the general form for another reason:
/// the first one, which may be a free surface, and ghosts.
template <int R>
PlanesNearSlabs<R> planes_near_slabs(const DomainArgsOf<R>& args) {
  const int first_inner = args.box.begin.z + std::max(1, args.slab.ghosts_above);
  return {args.box.begin.z, std::max(args.inner.begin.z, first_inner),
          std::min(args.inner.end.z, args.box.end.z - args.slab.ghosts_below), most_damped_planes};
}

/// Planes of the rim at a box's upper end; 0: there is no neighbour above.
template <int R>
int planes_of_rim(const DomainArgsOf<R>& args) {
  return args.slab.ghosts_above == 0 ? 0 : planes_of_rim(args.slab.ghosts_above, R);
}

/// Parts that blocks have in it, in all rounds; 0 where a round cuts it in two.
template <int R>
int counts_of_rim(const DomainArgsOf<R>& args, const RoundWalk& walk) {
  int counts = 0;
  for (int number = 0; number < walk.count; ++number) {
    const Round& round = walk.rounds[number];
    if (round.own_planes < planes_of_rim(args)) return 0;
    counts += round.columns * round.rows;
  }
  return planes_of_rim(args) == 0 ? 0 : counts;
}

/// Whether a block can keep what it must know of the planes of a round's chunks.
template <int R>
bool keeps_planes(const PlanesNearSlabs<R>& near, const RoundWalk& walk, const Round& round) {
  for (int chunk = 0; chunk < round.chunks; ++chunk) {
    if (!near.parts(march_of<R>(walk, round, chunk)).is_possible) return false;
  }
  return true;
}

/// The rounds over a box, in which so many blocks can be on the GPU at once.
template <class Shape>
RoundWalk plan_whole(const DomainArgsOf<Shape::R>& args, int most_blocks) {
  const PlanesNearSlabs near = planes_near_slabs(args);
  RoundTuning tuning;
  tuning.most_blocks = most_blocks;
  if (Shape::steps == 2) {
    tuning.radius = Shape::R;
    // Rows of 256 B on three lines take a tenth longer than on two; chunks are columns, of which a launch has
    // all at once, half of them on either side.
    tuning.line = lies_in_chunks<Shape> ? ChunkLayout::width : 32;
    if constexpr (lies_in_chunks<Shape>) tuning.rows = Shape::rows_of_warp;
    tuning.chunk_lost = 16;    // 2R arrivals that complete no plane, and slower ones at the ends
    tuning.planes_a_turn = 4;  // so that rings of two stages go on across rounds
  } else {
    tuning.radius = 0;      // nobody needs what another block has made
    tuning.chunk_lost = 4;  // as tma_ring's pieces
  }
  tuning.cuts_x = !lies_in_chunks<Shape>;
  tuning.allows_chunks = [&](const RoundWalk& walk, const Round& round) {
    return keeps_planes(near, walk, round);
  };
  return plan_rounds(args.box, args.layout, Shape::tile, tuning);
}

/// Why these rounds over a box are none for a launch; empty where they are.
template <int R>
std::string why_refused(const DomainArgsOf<R>& args, const RoundWalk& walk, const ChunkLayout& chunks = {}) {
  const Extent3 n = args.box.extent();
  if (walk.count == 0)
    return text(n.x, " x ", n.y, " points along x and y, more than ", RoundWalk::most_rounds, " rounds have");
  const PlanesNearSlabs near = planes_near_slabs(args);
  if (!std::all_of(walk.rounds, walk.rounds + walk.count,
                   [&](const Round& round) { return keeps_planes(near, walk, round); })) {
    const int ghosts = std::max(args.slab.ghosts_above, args.slab.ghosts_below);
    return text("z slabs of ", n.z - args.inner.extent().z, " planes together, more than ",
                most_damped_planes - 2 * (PlanesNearSlabs<R>::free_planes + 2 * R) - ghosts);
  }
  const std::int64_t size = chunks.columns > 0 ? chunks.size() : args.layout.size;
  if (size > most_in_vectors) return text("fields of ", size, " values, more than 2^34");
  return "";
}

/// Words of a launch's workspace: where fields lie in chunks those of blocks that have begun; of two steps
/// the progress of the blocks; the counters of the throttle.
struct WholeWorkspace {
  std::size_t begun = 0, progress = 0, counters = 0;

  template <class Shape, class Block>
  static WholeWorkspace of(const RoundWalk& walk) {
    WholeWorkspace words;
    if (lies_in_chunks<Shape>) words.begun = progress_line;
    if (Shape::steps == 2) words.progress = std::size_t(walk.blocks()) * progress_line;
    words.counters =
        Throttle<Block>::bytes(walk.planes_of(walk.count) + walk.count * 2 * Shape::R) / sizeof(unsigned);
    return words;
  }
  [[nodiscard]] std::size_t bytes() const { return (begun + progress + counters) * sizeof(unsigned); }
};

/// The maps of a shape's tiles over the fields of a launch.
template <class Shape, class Block>
struct WholeMaps : TileMaps<typename Block::Map> {
  WholeMaps()
      : TileMaps<typename Block::Map>(Shape::width, Shape::height, Shape::fetch, Shape::R,
                                      round_up(Shape::R, vector_alignment)) {}
};

template <class Shape, class Block>
WholeArgs<Shape, Block> whole_args(const DomainArgsOf<Shape::R>& args, const RoundWalk& walk,
                                   const SideArgs& sides, WholeMaps<Shape, Block>& maps) {
  const auto words = WholeWorkspace::of<Shape, Block>(walk);
  unsigned* const begun = static_cast<unsigned*>(args.blocks.workspace);
  unsigned* const progress = begun + words.begun;
  unsigned* const counters = progress + words.progress;
  const auto map = [&](const float* field, MapHalo halo) {
    return maps.of(field, args.layout, args.box, walk.first, halo);
  };
  const auto pass_args = [&] {
    return PassArgs<Block, Shape::R>{args,
                                     walk,
                                     map(args.u, MapHalo::around),
                                     map(args.u_before, MapHalo::none),
                                     map(args.v2dt2, MapHalo::none),
                                     map(args.u, MapHalo::along_z),
                                     counters};
  };
  const auto pass = [&] {
    if constexpr (lies_in_chunks<Shape>) {
      return ChunkArgs<Block, Shape::R>{
          args,     walk,    sides.chunks, {sides.chunks, sides.pages}, {sides.side_of_multiprocessor, begun},
          counters, progress};
    } else if constexpr (Shape::steps == 2) {
      return TwoStepsArgs<Block, Shape::R>{pass_args(), map(args.u_next, MapHalo::around), progress};
    } else {
      return pass_args();
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
  if constexpr (Shape::steps == 1) {
    given.pass.args.phi_next = args.phi;
    if constexpr (in_chunks) given.pass.places.put_in_place();
  }
  return given;
}

}  // namespace minimod
