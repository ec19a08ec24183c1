/// How the planes of a launch that stays on its multiprocessors get into shared memory: who brings them, what
/// is waited for, and what is known of the fields. `Block` is HopperBlock (hopper_block.cuh) or, on the host,
/// EmulatedBlock (emulated_block.hpp).
#pragma once

#include "kernels/update.hpp"
#include "kernels/vector4.hpp"
#include "kernels/whole/ring_cursor.hpp"
#include "kernels/whole/round_walk.hpp"
#include "kernels/whole/throttle.hpp"

namespace minimod {

/// All that the copies of a launch go by.
template <class Block, int R>
struct PassArgs {
  DomainArgsOf<R> args;
  RoundWalk walk;
  typename Block::Map u;                ///< from the halo on
  typename Block::Map u_before, v2dt2;  ///< maps of the tile
  typename Block::Map ahead;            ///< map of u without its halo along x and y, for what comes next
  unsigned* counters;                   ///< counters of the throttle
};

/// Barriers of the rings: [0] of u for the first step, [1] for the second, where a launch does two.
template <class Shape, class Block>
struct PassBarriers {
  using Barrier = typename Block::Barrier;
  Barrier full_u[Shape::steps][Shape::stages_u], empty_u[Shape::steps][Shape::stages_u];
  Barrier full_before[Shape::stages_before], empty_before[Shape::stages_before];
  Barrier full_v[Shape::stages_v], empty_v[Shape::stages_v];

  /// A warp arrives once for what it has read of the copy engine's.
  MINIMOD_HD void init() {
    constexpr int warps = Shape::group / 32;
    for (int step = 0; step < Shape::steps; ++step)
      init_ring(full_u[step], filling_u(), empty_u[step], warps);
    init_ring(full_before, 1, empty_before, warps);
    init_ring(full_v, 1, empty_v, warps);
    Barrier::publish();
  }

 protected:
  static MINIMOD_HD constexpr int filling_u() {
    if constexpr (requires { Shape::filling_u; }) return Shape::filling_u;
    return 1;
  }
  template <int Stages>
  static MINIMOD_HD void init_ring(Barrier (&full)[Stages], int filling, Barrier (&empty)[Stages],
                                   int emptying) {
    for (Barrier& barrier : full) barrier.init(filling);
    for (Barrier& barrier : empty) barrier.init(emptying);
  }
};

/// One thread: brings u, u⁻ and (V Δt)² for the first step. Plane k of a round is its plane k - R of u.
template <class Shape, class Block>
MINIMOD_HD void bring_fields(const PassArgs<Block, Shape::R>& args, typename Shape::Shared& shared,
                             PassBarriers<Shape, Block>& barriers) {
  RingCursor<Shape::stages_u> u;
  RingCursor<Shape::stages_before> before;
  RingCursor<Shape::stages_v> v;
  constexpr int R = Shape::R;
  const RoundWalk& walk = args.walk;
  Throttle<Block> throttle(args.counters);
  const int rounds = walk.rounds_of(Block::index());
  for (int number = 0; number < rounds; ++number) {
    const Round& round = walk.rounds[number];
    const int planes = round.planes + 2 * R, blocks = round.blocks();
    const Index3 begin = walk.tile_begin(round, Block::index());
    const int x = begin.x - walk.first.x, y = begin.y - walk.first.y, z = begin.z - walk.first.z;
    for (int k = 0; k < planes; ++k) {
      if (k + 1 < planes) args.ahead.prefetch({x, y, z + k + 1});
      throttle.pass(round.planes_before + number * 2 * R, k, blocks);
      barriers.empty_u[0][u.stage].wait(u.parity ^ 1);
      barriers.full_u[0][u.stage].arrive_expecting(sizeof shared.u[0][0].value);
      args.u.load(&shared.u[0][u.stage], {x, y, z + k}, barriers.full_u[0][u.stage]);
      u.advance();
      if (k < 2 * R) continue;
      barriers.empty_before[before.stage].wait(before.parity ^ 1);
      barriers.full_before[before.stage].arrive_expecting(sizeof shared.before[0].value);
      args.u_before.load(&shared.before[before.stage], {x, y, z + k - 2 * R},
                         barriers.full_before[before.stage]);
      before.advance();
      barriers.empty_v[v.stage].wait(v.parity ^ 1);
      barriers.full_v[v.stage].arrive_expecting(sizeof shared.v2dt2[0].value);
      args.v2dt2.load(&shared.v2dt2[v.stage], {x, y, z + k - 2 * R}, barriers.full_v[v.stage]);
      v.advance();
    }
  }
}

/// How a thread that computes takes planes out of the rings of a launch of one step.
template <class Shape, class Block>
class OneStepRings {
 public:
  static_assert(Shape::stages_before == Shape::stages_v);
  using Barriers = PassBarriers<Shape, Block>;
  using Shared = typename Shape::Shared;
  RingCursor<Shape::stages_v> v;  ///< place in the rings of v2dt2 and of u⁻

  OneStepRings() = default;
  /// Before an arrival of a round, when so many planes of u have arrived in the rounds before and so many are
  /// complete.
  MINIMOD_HD OneStepRings(unsigned before, int arrival, unsigned completed)
      : v(RingCursor<Shape::stages_v>::after(completed)),
        u_(RingCursor<Shape::stages_u>::after(before + arrival)) {}
  [[nodiscard]] MINIMOD_HD RingCursor<Shape::stages_u> u(int /*arrival*/) const { return u_; }

  /// For what completes a plane beside u.
  MINIMOD_HD void wait_for_fields(Barriers& barriers, int /*step*/, int /*arrival*/) const {
    barriers.full_before[v.stage].wait(v.parity);
    barriers.full_v[v.stage].wait(v.parity);
  }
  [[nodiscard]] MINIMOD_HD const Vector4<float>* v2dt2(const Shared& shared) const {
    return &shared.v2dt2[v.stage].value[0][0];
  }
  [[nodiscard]] MINIMOD_HD const Vector4<float>* u_before(const Shared& shared, int /*step*/,
                                                          int /*arrival*/) const {
    return &shared.before[v.stage].value[0][0];
  }
  MINIMOD_HD void keep_u(Shared&, int /*vector*/, const Vector4<float>& /*u*/) const {}
  MINIMOD_HD void hand_over(Barriers&, int /*step*/) const {}
  /// By one thread of a warp that has completed a plane.
  MINIMOD_HD void release(Barriers& barriers, int /*step*/, int /*arrival*/) const {
    barriers.empty_before[v.stage].arrive();
    barriers.empty_v[v.stage].arrive();
  }
  MINIMOD_HD void advance(bool completes) {
    u_.advance();
    if (completes) v.advance();
  }

 private:
  RingCursor<Shape::stages_u> u_;
};

}  // namespace minimod
