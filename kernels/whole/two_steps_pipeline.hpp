/// How the second step of a block in a launch of two learns that the first of its neighbours is in memory.
/// `Block` is HopperBlock (hopper_block.cuh) or, on the host, EmulatedBlock (emulated_block.hpp).
#pragma once

#include "kernels/whole/announcer.hpp"
#include "kernels/whole/pass_pipeline.hpp"

namespace minimod {

inline constexpr int progress_line = 32;  ///< words between two blocks' progress: 128 B

/// All that the copies and announcements of a launch go by.
template <class Block, int R>
struct TwoStepsArgs : PassArgs<Block, R> {
  typename Block::Map u_first;  ///< map of u⁺, from the halo on
  unsigned* progress;           ///< progress of each block: planes of u⁺ in memory, over all rounds
};

template <class Shape, class Block>
struct TwoStepsBarriers : PassBarriers<Shape, Block> {
  using Barrier = typename Block::Barrier;
  Barrier full_centre[Shape::stages_centre], empty_centre[Shape::stages_centre];

  /// In rows each thread arrives for the centre that it wrote or read itself, so that compute-sanitizer can
  /// follow; it costs nothing that can be measured there.
  MINIMOD_HD void init() {
    this->init_ring(full_centre, Shape::filling_centre, empty_centre, Shape::emptying_centre);
    PassBarriers<Shape, Block>::init();
  }
};

/// How a thread that computes takes planes out of the rings. u and u⁻ have two stages, which the arrival
/// tells: rounds have a multiple of four planes, and so where R is even of arrivals, too.
template <class Shape, class Block>
class TwoStepsRings {
 public:
  static_assert(Shape::stages_u == 2 && Shape::stages_before == 2);
  using Barriers = TwoStepsBarriers<Shape, Block>;
  using Shared = typename Shape::Shared;
  RingCursor<Shape::stages_v> v;
  RingCursor<Shape::stages_centre> centre;

  TwoStepsRings() = default;
  /// Before an arrival of a round, when so many planes of u have arrived in the rounds before and so many are
  /// complete.
  MINIMOD_HD TwoStepsRings(unsigned before, int /*arrival*/, unsigned completed)
      : v(RingCursor<Shape::stages_v>::after(completed)),
        centre(RingCursor<Shape::stages_centre>::after(completed)),
        before_round_(before & 3) {}
  [[nodiscard]] MINIMOD_HD RingCursor<2> u(int arrival) const {
    return two_stages(is_even ? arrival : arrival + static_cast<int>(before_round_));
  }

  /// For what completes a plane beside u, and in the first step for room for its u.
  MINIMOD_HD void wait_for_fields(Barriers& barriers, int step, int arrival) const {
    const RingCursor<2> at = u_before(arrival);
    auto& before = step == 0 ? barriers.full_before[at.stage] : barriers.full_centre[centre.stage];
    before.wait(step == 0 ? at.parity : centre.parity);
    barriers.full_v[v.stage].wait(v.parity);
    if (step == 0) barriers.empty_centre[centre.stage].wait(centre.parity ^ 1);
  }
  [[nodiscard]] MINIMOD_HD const Vector4<float>* v2dt2(const Shared& shared) const {
    return &shared.v2dt2[v.stage].value[0][0];
  }
  [[nodiscard]] MINIMOD_HD const Vector4<float>* u_before(const Shared& shared, int step, int arrival) const {
    return &(step == 0 ? shared.before[u_before(arrival).stage] : shared.centre[centre.stage]).value[0][0];
  }
  /// By the first step for the second, to which u is u⁻.
  MINIMOD_HD void keep_u(Shared& shared, int vector, const Vector4<float>& u) const {
    (&shared.centre[centre.stage].value[0][0])[vector] = u;
  }
  /// By each thread that has completed a plane, and then by one of a warp.
  MINIMOD_HD void hand_over(Barriers& barriers, int step) const {
    (step == 0 ? barriers.full_centre : barriers.empty_centre)[centre.stage].arrive();
  }
  MINIMOD_HD void release(Barriers& barriers, int step, int arrival) const {
    (step == 0 ? barriers.empty_before[u_before(arrival).stage] : barriers.empty_v[v.stage]).arrive();
  }
  MINIMOD_HD void advance(bool completes) {
    if (!completes) return;
    v.advance();
    centre.advance();
  }

 private:
  static constexpr bool is_even = Shape::R % 2 == 0;
  /// Place in the ring of u⁻, of which 2R planes fewer have come in a round.
  [[nodiscard]] MINIMOD_HD RingCursor<2> u_before(int arrival) const {
    return two_stages(is_even ? arrival : arrival + 2);
  }

  unsigned before_round_ = 0;  ///< arrivals before the round (mod 4)
};

/// Waits until a block's progress reaches a number. When all its waits have come to some seconds, far more
/// than a launch takes, it gives up and says so.
template <class Block>
class ProgressWatch {
 public:
  explicit MINIMOD_HD ProgressWatch(unsigned* status) : status_(status) {}

  /// From now on that of another block.
  MINIMOD_HD void turn_to(const unsigned* progress) {
    progress_ = progress;
    seen_ = 0;
  }
  /// Whether it had to look again.
  MINIMOD_HD bool wait_for(unsigned needed) {
    const bool looks = seen_ < needed;
    while (seen_ < needed && looks_left_ > 0) {
      seen_ = Block::announced(progress_);
      if (seen_ < needed && --looks_left_ == 0) *status_ = 1;
    }
    return looks;
  }

 private:
  const unsigned* progress_ = nullptr;
  unsigned* status_;
  unsigned seen_ = 0;
  int looks_left_ = 1 << 23;
};

/// The block that a lane watches: a neighbour, or its own.
MINIMOD_HD inline int watched_by(int lane, const Round& round, int block) {
  return lane == 1   ? RoundWalk::neighbour(round, block, -1, 0)
         : lane == 2 ? RoundWalk::neighbour(round, block, 1, 0)
         : lane == 3 ? RoundWalk::neighbour(round, block, 0, -1)
         : lane == 4 ? RoundWalk::neighbour(round, block, 0, 1)
                     : block;
}

/// One warp: brings u⁺ with its halo for the second step as soon as this block and its four neighbours have
/// stored it; each of five lanes watches one of them. Planes above and below the box are there already; those
/// above wait with the first of the box, so that who has seen a plane may read what the first step has left
/// of the next. Above a free surface come the planes below it instead, to be taken with the other sign.
template <class Shape, class Block>
MINIMOD_HD void bring_first_step(const TwoStepsArgs<Block, Shape::R>& args, typename Shape::Shared& shared,
                                 TwoStepsBarriers<Shape, Block>& barriers) {
  const int lane = Block::thread() % 32, block = Block::index();
  ProgressWatch<Block> watch(args.args.blocks.status);
  RingCursor<Shape::stages_u> u;
  constexpr int R = Shape::R;
  const RoundWalk& walk = args.walk;
  const int rounds = walk.rounds_of(block);
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    const bool mirrors = args.args.slab.has_surface && walk.chunk_of(round, block) == 0;
    watch.turn_to(args.progress + watched_by(lane, round, block) * progress_line);
    const int planes = round.planes;
    const Index3 begin = walk.tile_begin(round, block);
    const int x = begin.x - walk.first.x, y = begin.y - walk.first.y, z = begin.z - walk.first.z;
    for (int k = 0; k < planes + 2 * R; ++k) {
      const int plane = mirrors && k < R ? R - k : k - R;
      if (plane < planes) {
        const bool looked = lane < 5 && watch.wait_for(round.planes_before + (plane > 0 ? plane : 0) + 1);
        if (Block::any_of_warp(looked)) Block::show_to_copies();
      }
      Block::sync_warp();
      if (lane == 0) {
        barriers.empty_u[1][u.stage].wait(u.parity ^ 1);
        barriers.full_u[1][u.stage].arrive_expecting(sizeof shared.u[1][0].value);
        args.u_first.load(&shared.u[1][u.stage], {x, y, z + plane + R}, barriers.full_u[1][u.stage]);
      }
      Block::sync_warp();
      u.advance();
    }
  }
}

/// One thread of `Announcers`: announces every so manieth plane of u⁺ when all threads of the first step have
/// stored it. (A plane's centre is full at the same moment.)
template <class Shape, int Announcers, class Block, class Args>
MINIMOD_HD void announce(const Args& args, TwoStepsBarriers<Shape, Block>& barriers, int first) {
  unsigned* const progress = args.progress + Block::index() * progress_line;
  const int planes = args.walk.planes_of(args.walk.rounds_of(Block::index()));
  announce_planes<Shape::stages_centre, Announcers>(barriers.full_centre, barriers.empty_centre, first,
                                                    planes,
                                                    [=](int plane) { Block::announce(progress, plane + 1); });
}

}  // namespace minimod
