/// How the planes of a launch get into shared memory where fields lie in chunks (kernels/layouts/chunks.hpp):
/// by two warps, and one more for u⁺ of two steps, each lane with pieces of its own. With all copies but
/// those of u⁺ in one warp its own latency is the limit of the launch. What a lane must know lies in shared
/// memory, as producers have 24 registers.
#pragma once

#include "kernels/whole/two_steps_pipeline.hpp"

namespace minimod {

/// The multiprocessors on either side of the L2.
struct SidesOfLaunch {
  const unsigned char* of_multiprocessor = nullptr;
  unsigned* begun = nullptr;  ///< blocks of either side that have begun
};

/// A field's pages as launches go by them.
struct PagesOfLaunch {
  unsigned first = 0;   ///< number of the field's first vector in its 1 GiB
  unsigned blocks = 0;  ///< as FieldPages has them
};

/// Where vectors stand in the fields of a launch. Pairs of these words are not aligned as such: the compiler
/// would load them as one, for which threads that bring planes have no registers.
struct alignas(8) PlacesOfLaunch {
  ChangesOfSides changes;
  static_assert(sizeof(ChangesOfSides) % 8 == 4);
  PagesOfLaunch u, u_before, v2dt2, stored[2], phi[2];  ///< u⁺ and u⁺⁺; φ and φ⁺

  PlacesOfLaunch() = default;
  PlacesOfLaunch(const ChunkLayout& at, const LaunchPages& pages)
      : changes(at.changes),
        u(of(pages.u)),
        u_before(of(pages.u_before)),
        v2dt2(of(pages.v2dt2)),
        stored{of(pages.u_next), of(pages.u_second)},
        phi{of(pages.phi), of(pages.phi_next)} {}

  /// A step puts u⁺ where u⁻ was and φ⁺ where φ was.
  void put_in_place() {
    stored[0] = u_before;
    phi[1] = phi[0];
  }

  [[nodiscard]] MINIMOD_HD unsigned of_vector(unsigned vector, const PagesOfLaunch& pages) const {
    return of_vector(vector, pages, changes.distance(vector));
  }
  [[nodiscard]] MINIMOD_HD unsigned of_vector(unsigned vector, const PagesOfLaunch& pages,
                                              unsigned distance) const {
    return changes.of_vector(vector, pages.first, pages.blocks, distance);
  }

 private:
  static PagesOfLaunch of(const FieldPages& pages) {
    return {pages.first * ChunkLayout::vectors_of_page, pages.blocks};
  }
};

template <class Block, int R>
struct ChunkArgs {
  DomainArgsOf<R> args;
  RoundWalk walk;
  ChunkLayout at;
  PlacesOfLaunch places;
  SidesOfLaunch sides;
  unsigned *counters, *progress;
};

/// A lane's part of the copies of a plane, in vectors: a piece of the tile that crosses no chunk, and of a
/// row the vectors left and right of the tile.
struct alignas(16) ChunkPart {
  static constexpr unsigned nowhere = ~0U;
  unsigned piece, left, right;  ///< the first vectors in their plane
  unsigned in_stage;            ///< where the piece goes in the stage, and its vectors, from bit 16 on

  /// Rows [begin, end) of a tile at row y, of which a lane has the pieces `number`, and a row of the tile.
  static MINIMOD_HD ChunkPart of(const ChunkLayout& at, int column, int y, int begin, int end, int number,
                                 bool copies, int own_row) {
    constexpr int height = ChunkLayout::height, across = ChunkLayout::vectors_of_row;
    const int first = y + begin, row = (first + height) / height - 1 + number;
    const int from = first > row * height ? first : row * height,
              to = y + end < (row + 1) * height ? y + end : (row + 1) * height;
    ChunkPart part;
    part.piece = row >= 0 && row < at.rows ? at.chunk(column, row) + from % height * across : nowhere;
    part.in_stage = copies && to > from ? in_stage_of((from - first) * across, (to - from) * across) : 0;
    const int own = (y + own_row) / height, in_chunk = (y + own_row) % height * across;
    part.left = own < at.rows && column > 0 ? at.chunk(column - 1, own) + in_chunk + across - 1 : nowhere;
    part.right = own < at.rows && column + 1 < at.columns ? at.chunk(column + 1, own) + in_chunk : nowhere;
    return part;
  }
  static MINIMOD_HD unsigned in_stage_of(int to, int vectors) {
    return static_cast<unsigned>(to) | static_cast<unsigned>(vectors) << 16;
  }
};

/// Where a lane's pieces of a plane stand in a field, found before the wait for the stage that they go to: in
/// the claim on them nothing is put off until after it, where each clock is one that those who compute wait.
struct PiecesInField {
  unsigned piece, left, right, in_stage;

  MINIMOD_HD PiecesInField(const ChunkLayout& at, const PlacesOfLaunch& places, const ChunkPart& part,
                           const PagesOfLaunch& pages, int z)
      : in_stage(part.in_stage) {
    const unsigned plane = at.plane_of(z), distance = places.changes.distance(plane);
    const auto of = [&](unsigned vector) {
      return places.of_vector(vector == ChunkPart::nowhere ? at.zeros() : plane + vector, pages, distance);
    };
    piece = of(part.piece);
    left = of(part.left);
    right = of(part.right);
    asm volatile("" : "+r"(piece), "+r"(left), "+r"(right), "+r"(in_stage));
  }
};

/// Starts a lane's piece, if it has one.
template <class Block, class Barrier>
MINIMOD_HD void copy_piece(unsigned in_stage, const float* field, unsigned from, Vector4<float>* stage,
                           Barrier& full) {
  if (in_stage == 0) return;
  Block::copy_piece(stage + (in_stage & 0xffffU), field + std::uint64_t{from} * vector_alignment,
                    static_cast<int>((in_stage >> 16) * sizeof *stage), full);
}

/// Starts what is left and right of a row.
template <class Block, class Halo, class Barrier>
MINIMOD_HD void copy_beside(const float* field, const PiecesInField& from, Halo& stage, Barrier& full,
                            int row) {
  Block::copy_beside(stage.beside[0][row], field + std::uint64_t{from.left} * vector_alignment,
                     stage.beside[1][row], field + std::uint64_t{from.right} * vector_alignment, full);
}

/// A warp: starts a plane of u or u⁺ with its halo.
template <class Block, class Halo, class Barrier>
MINIMOD_HD void copy_with_halo(const float* field, const PiecesInField& from, Halo& stage, Barrier& full,
                               int lane) {
  copy_beside<Block>(field, from, stage, full, lane);
  copy_piece<Block>(from.in_stage, field, from.piece, &stage.value[0][0], full);
  if (lane == 0) full.arrive_expecting(sizeof stage.value);
}

template <class Shape, class Block>
MINIMOD_HD void bring_u(const ChunkArgs<Block, Shape::R>& args, typename Shape::Shared& shared,
                        PassBarriers<Shape, Block>& barriers) {
  constexpr int R = Shape::R;
  constexpr bool has_more = Shape::height > 32;  // a lane has two rows
  const int lane = Block::thread() % 32;
  ChunkPart &mine = shared.parts[0][lane], &more = shared.parts[1][lane];
  RingCursor<Shape::stages_u> u;
  const int rounds = args.walk.rounds_of(Block::index());
  for (int number = 0; number < rounds; ++number) {
    const Round& round = args.walk.rounds[number];
    const Index3 begin = args.walk.tile_begin(round, Block::index());
    const auto part_of = [&](bool copies, int row) {
      constexpr int pieces = has_more ? 8 : 4;
      return ChunkPart::of(args.at, begin.x / Shape::width, begin.y, -R, Shape::height + R, lane % pieces,
                           copies && lane < pieces, row);
    };
    mine = part_of(true, lane);
    if constexpr (has_more) more = part_of(false, lane + 32);
    const int end = begin.z + round.planes + R;
    for (int z = begin.z - R; z < end; ++z) {
      const PiecesInField from(args.at, args.places, mine, args.places.u, z);
      auto &full = barriers.full_u[0][u.stage], &empty = barriers.empty_u[0][u.stage];
      if constexpr (has_more) {
        const PiecesInField below(args.at, args.places, more, args.places.u, z);
        empty.wait(u.parity ^ 1);
        copy_beside<Block>(args.args.u, below, shared.u[0][u.stage], full, lane + 32);
      } else {
        empty.wait(u.parity ^ 1);
      }
      copy_with_halo<Block>(args.args.u, from, shared.u[0][u.stage], full, lane);
      u.advance();
    }
  }
}

/// A warp: u⁻ and (V Δt)², u's next plane into the L2, and the throttle. Lanes 0 to 3, 4 to 7 and 8 to 11
/// have pieces of these.
template <class Shape, class Block>
MINIMOD_HD void bring_fields_beside(const ChunkArgs<Block, Shape::R>& args, typename Shape::Shared& shared,
                                    PassBarriers<Shape, Block>& barriers) {
  constexpr int R = Shape::R;
  const int lane = Block::thread() % 32;
  ChunkPart& mine = shared.parts_of_tile[lane % 4];
  RingCursor<Shape::stages_v> v;
  Throttle<Block> throttle(args.counters);
  const int rounds = args.walk.rounds_of(Block::index());
  for (int number = 0; number < rounds; ++number) {
    const Round& round = args.walk.rounds[number];
    const Index3 begin = args.walk.tile_begin(round, Block::index());
    Block::sync_warp();
    if (lane < 4)
      mine = ChunkPart::of(args.at, begin.x / Shape::width, begin.y, 0, Shape::height, lane, true, lane);
    const int planes = round.planes + 2 * R, z = begin.z - 2 * R;
    for (int k = 0; k < planes; ++k) {
      if (lane == 0) throttle.pass_early(round.planes_before + number * 2 * R, k, planes, round.blocks());
      Block::sync_warp();
      if (lane >= 8 && lane < 12 && mine.in_stage != 0 && mine.piece != ChunkPart::nowhere) {
        Block::prefetch_piece(
            args.args.u + std::uint64_t{args.places.of_vector(args.at.plane_of(z + k + R + 1) + mine.piece,
                                                              args.places.u)} *
                              vector_alignment,
            static_cast<int>((mine.in_stage >> 16) * sizeof(Vector4<float>)));
      }
      if (k < 2 * R) continue;
      const auto before = [&] {
        if constexpr (Shape::steps == 2) {
          return two_stages(k + 2 * R);  // k - 2R planes of u⁻ have come (mod 4)
        } else {
          return v;  // a ring of as many stages
        }
      }();
      const bool is_before = lane < 4;
      unsigned in_stage = mine.in_stage;
      unsigned from = args.places.of_vector(
          mine.piece == ChunkPart::nowhere ? args.at.zeros() : args.at.plane_of(z + k) + mine.piece,
          is_before ? args.places.u_before : args.places.v2dt2);
      asm volatile("" : "+r"(from), "+r"(in_stage));  // found before the waits
      barriers.empty_before[before.stage].wait(before.parity ^ 1);
      barriers.empty_v[v.stage].wait(v.parity ^ 1);
      if (lane < 8) {
        auto& full = is_before ? barriers.full_before[before.stage] : barriers.full_v[v.stage];
        auto& stage = is_before ? shared.before[before.stage] : shared.v2dt2[v.stage];
        copy_piece<Block>(in_stage, is_before ? args.args.u_before : args.args.v2dt2, from,
                          &stage.value[0][0], full);
        if (lane % 4 == 0) full.arrive_expecting(sizeof stage.value);
      }
      v.advance();
    }
  }
}

/// A warp: u⁺ for the second step, as bring_first_step has it where fields lie in rows.
template <class Shape, class Block>
MINIMOD_HD void bring_first_step_of_chunks(const ChunkArgs<Block, Shape::R>& args,
                                           typename Shape::Shared& shared,
                                           TwoStepsBarriers<Shape, Block>& barriers) {
  constexpr int R = Shape::R;
  ProgressWatch<Block> watch(args.args.blocks.status);
  for (int number = 0; number < args.walk.rounds_of(Block::index()); ++number) {
    const Index3 begin = args.walk.tile_begin(args.walk.rounds[number], Block::index());
    const int z = begin.z;
    const bool mirrors = args.args.slab.has_surface && z == args.args.box.begin.z;
    {
      const int lane = Block::thread() % 32;
      watch.turn_to(args.progress +
                    watched_by(lane, args.walk.rounds[number], Block::index()) * progress_line);
      shared.parts[1][lane] = ChunkPart::of(args.at, begin.x / Shape::width, begin.y, -R, Shape::height + R,
                                            lane % 4, lane < 4, lane);
    }
#pragma unroll 1
    for (int k = 0; k < args.walk.rounds[number].planes + 2 * R; ++k) {
      const Round& round = args.walk.rounds[number];
      const int lane = Block::thread_anew() % 32, plane = mirrors && k < R ? R - k : k - R;
      const PiecesInField from(args.at, args.places, shared.parts[1][lane], args.places.stored[0], z + plane);
      if (plane < round.planes) {
        const bool looked = lane < 5 && watch.wait_for(round.planes_before + (plane > 0 ? plane : 0) + 1);
        if (Block::any_of_warp(looked)) Block::show_to_copies();
      }
      Block::sync_warp();
      asm volatile("" : "+r"(k));  // so that nothing made of these is kept in registers
      const RingCursor<2> u = two_stages(k + number * 2 * R);  // rounds have a multiple of four planes
      barriers.empty_u[1][u.stage].wait(u.parity ^ 1);
      copy_with_halo<Block>(args.args.u_next, from, shared.u[1][u.stage], barriers.full_u[1][u.stage], lane);
      asm volatile("" : "+r"(number));
    }
  }
}

}  // namespace minimod
