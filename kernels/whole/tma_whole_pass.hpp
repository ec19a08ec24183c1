/// The work of the threads of a block of `tma_whole` and `tma_whole_step` (their headers say why). `Shape` is
/// one of these, `Block` is HopperBlock or, on the host, EmulatedBlock.
#pragma once

#include "kernels/whole/pass_plane.hpp"

namespace minimod {

template <class ShapeType, class Block>
class WholePass : public PassThread<ShapeType, Block> {
  using Thread = PassThread<ShapeType, Block>;
  using Thread::R, Thread::beside, Thread::rows, Thread::lanes, Thread::has_second, Thread::in_chunks,
      Thread::step_of, Thread::sample_of;
  using typename Thread::Domain, typename Thread::OfRound, typename Thread::Queue, typename Thread::Worker;

 public:
  using Shape = ShapeType;
  using Thread::computing;
  using typename Thread::Args, typename Thread::Barriers, typename Thread::Profiles, typename Thread::Rings,
      typename Thread::Shared;

  /// Shared memory of a block, in one piece: an address of its own costs each thread some instructions a
  /// plane.
  struct Memory {
    Shared shared;
    Barriers barriers;
    Profiles profiles;
  };

  /// By all threads, before the first use. Beyond the grid nothing damps.
  static MINIMOD_HD void take_profile_z(const Args& given, Profiles& profiles) {
    const Domain& args = given.pass.args;
    for (int i = Block::thread(); i < most_damped_planes; i += Shape::threads.x) {
      const int z = given.near.plane_at(i);
      const bool is_there = z >= args.box.begin.z && z < args.box.end.z;
      profiles.z[i] = {is_there ? args.eta_z[z] : 0,
                       is_there ? args.gradient_z * (args.eta_z[z + 1] - args.eta_z[z - 1]) : 0};
    }
  }

  /// By those that compute.
  static MINIMOD_HD void compute(const Args& given, Shared& shared, Barriers& barriers, Profiles& profiles) {
    const RoundWalk& walk = given.pass.walk;
    const int rounds = walk.rounds_of(Block::index());
    Queue queue = {};
#pragma unroll 1
    for (int number = 0; number < rounds; ++number) {
      const Round& round = walk.rounds[number];
      take_round(given, profiles, round);
      if constexpr (in_chunks) take_tables(given, shared, profiles, round);
      const March march = march_of<R>(walk, round, walk.chunk_of(round, Block::index()));
      const MarchParts parts = given.near.parts(march);
      const int slabs = slabs_of_tile(given, round);
      const int between = (slabs & 2) != 0 ? xy_form : slabs;
      const int rim_end = rim_end_in(given, round);
      int begin = 0;
#pragma unroll 1
      while (begin < march.arrivals) {
        const int part = begin < parts.free ? 0 : begin < parts.last ? 1 : 2;
        int end = part == 0 ? parts.free : part == 1 ? parts.last : march.arrivals;
        if (begin < rim_end && rim_end < end) end = rim_end;
        const int form = part == 1 ? between : z_form;
        const int offset = part == 0 ? parts.first_offset : parts.last_offset;
        if (form == inner_form)
          march_part<inner_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
        if (form == x_form)
          march_part<x_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
        if (form == xy_form)
          march_part<xy_form>(queue, given, shared, barriers, profiles, number, 0, begin, end);
        if (form == z_form)
          march_part<z_form>(queue, given, shared, barriers, profiles, number, offset, begin, end);
        begin = end;
        if (begin == rim_end) tell_rim(given);
      }
    }
  }

  /// By the others.
  static MINIMOD_HD void serve(const Args& given, Shared& shared, Barriers& barriers) {
    const int thread = Block::thread() - computing, warp = thread / 32;
    const bool leads_warp = thread % 32 == 0;
    if constexpr (in_chunks) {
      if (warp == 0) bring_u<Shape>(given.pass, shared, barriers);
      if (warp == 3) bring_fields_beside<Shape>(given.pass, shared, barriers);
      if constexpr (has_second) {
        if (warp == 1) bring_first_step_of_chunks<Shape>(given.pass, shared, barriers);
        if (warp == 2 && leads_warp) announce<Shape, 1>(given.pass, barriers, 0);
      } else if (warp == 1 || warp == 2) {
        keep_receivers(given, thread - 32);
      }
    } else {
      if (warp == 0 && leads_warp) bring_fields<Shape, Block>(given.pass, shared, barriers);
      if constexpr (has_second) {
        if (warp == 1) bring_first_step<Shape>(given.pass, shared, barriers);
        if (warp >= 2 && leads_warp) announce<Shape, 2>(given.pass, barriers, warp - 2);
      } else if (warp > 0) {
        keep_receivers(given, thread - 32);
      }
    }
  }

 private:
  /// u at the receivers, by the threads of all blocks that have nothing else to do.
  static MINIMOD_HD void keep_receivers(const Args& given, int thread) {
    constexpr int threads = Shape::threads.x - computing - (in_chunks ? 64 : 32);
    const Domain& args = given.pass.args;
    const int all = given.pass.walk.blocks() * threads;
    for (int i = Block::index() * threads + thread; i < args.shot.receiver_count; i += all)
      args.shot.recorded[i] = args.u[place_of(given, args.shot.receivers[i])];
  }

  /// Where a value of u stands that has this index in all fields.
  static MINIMOD_HD std::int64_t place_of(const Args& given, std::int64_t index) {
    if constexpr (in_chunks) {
      const auto& places = given.pass.places;
      const auto vector = static_cast<unsigned>(index / lanes);
      return std::int64_t{places.of_vector(vector, places.u)} * lanes + index % lanes;
    } else {
      return index;
    }
  }

  /// Slabs of which a tile of the block has points: 1: x, 2: y.
  static MINIMOD_HD int slabs_of_tile(const Args& given, const Round& round) {
    const Index3 begin = given.pass.walk.tile_begin(round, Block::index());
    const Box3& inner = given.pass.args.inner;
    const bool x = begin.x <= inner.begin.x || begin.x + Shape::width >= inner.end.x;
    const bool y = begin.y <= inner.begin.y || begin.y + Shape::height >= inner.end.y;
    return (x ? 1 : 0) | (y ? 2 : 0);
  }

  /// The planes of a round from arrival i on, before `end`. All that a thread has beside its queue is made
  /// anew.
  template <PassForm F>
  static MINIMOD_IN_LOOP void march_part(Queue& queue, const Args& given, Shared& shared, Barriers& barriers,
                                         const Profiles& profiles, int number, int z_offset, int i, int end) {
    const int thread = Block::thread_anew();
    asm volatile("" : "+r"(number));
    // Threads beyond those of the tile do what its last one does, and store nothing.
    constexpr int last = Shape::threads_x * Shape::threads_y - 1;
    const int step = step_of(thread), of_group = thread % Shape::group,
              place = of_group < last ? of_group : last;
    const Domain& args = given.pass.args;
    const RoundWalk& walk = given.pass.walk;
    const Round& round = walk.rounds[number];
    const int tx = place % Shape::threads_x, ty = place / Shape::threads_x;
    Index3 p = walk.tile_begin(round, Block::index());
    const int first_z = p.z - R;
    p.x += lanes * tx;
    p.y += rows * ty;
    const Box3 &box = args.box, &inner = args.inner;
    const Box3 done = walk.done_by(round, Block::index(), step), own = walk.done_by(round, Block::index(), 1);
    constexpr int sector = 8;
    const bool x_damps = p.x < round_up(inner.begin.x, sector) || p.x + lanes > inner.end.x / sector * sector;
    Worker me;
    me.rows = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int y = p.y + r;
      const bool is_there = of_group <= last && p.x < box.end.x && y < box.end.y;
      const bool stored =
          is_there && p.x >= done.begin.x && p.x < done.end.x && y >= done.begin.y && y < done.end.y;
      const bool is_own =
          is_there && p.x >= own.begin.x && p.x < own.end.x && y >= own.begin.y && y < own.end.y;
      const bool y_damps = y < inner.begin.y || y >= inner.end.y, damps = x_damps || y_damps;
      me.rows |= (unsigned{stored} | unsigned{is_own} << 4 | unsigned{stored && damps} << 8 |
                  unsigned{is_own && damps} << 12 | unsigned{y_damps} << 16)
                 << r;
    }
    me.first_z = first_z;
    me.index = given.vector_at(p.x, p.y, p.z + i - 2 * R);
    me.row = ty * rows;
    me.lane = lanes * tx;
    me.in_tile = me.row * Shape::threads_x + tx;
    me.in_halo = in_chunks ? me.in_tile : me.row * (Shape::threads_x + 2 * beside) + tx + beside;
    me.target = step == 0 ? args.u_next : args.u_second;
    me.meets_late = R > 1 && F == z_form && slabs_of_tile(given, round) == 0;
    me.z_offset = z_offset;
    const unsigned completed = round.planes_before + (i > 2 * R ? i - 2 * R : 0);  // planes so far
    me.rings = Rings(round.planes_before + number * 2 * R, i, completed);
    float phi[rows][lanes] = {};
#pragma unroll 1
    do {
      if constexpr (in_chunks) Thread::template take_changes<F>(me, given, i);
      const int stop = meet_source<F>(queue, me, given, shared, barriers, profiles, i, end);
#pragma unroll 1
      do {
        PassPlane<Shape, Block, F>{{}, queue, me, given, shared, barriers, profiles, i, phi}.march();
      } while (++i != stop);
    } while (i != end);
  }

  /// Adds the source to the plane that arrival i completes, where it has one there. Returns the next arrival,
  /// at most `end`, before which there is more to be done than in a plane: so that nothing of it, which few
  /// planes want, stands in the loop that all go through.
  template <PassForm F>
  static MINIMOD_IN_LOOP int meet_source(Queue& queue, const Worker& me, const Args& given,
                                         const Shared& shared, Barriers& barriers, const Profiles& profiles,
                                         int i, int end) {
    constexpr int changes_known = 32;
    int stop = in_chunks ? i / changes_known * changes_known + changes_known : end;
    const Domain& args = given.pass.args;
    const Box3& source = args.shot.source;
    const int step = step_of(Block::thread());
    const typename Thread::OfRound& round = profiles.round[step];
    const bool in_tile = sample_of(args) != nullptr && source.begin.x < round.x + Shape::width &&
                         source.end.x > round.x && source.begin.y < round.y + Shape::height &&
                         source.end.y > round.y;
    const int first = source.begin.z - me.first_z + R, last = source.end.z - me.first_z + R;
    if (in_tile && i >= 2 * R && i >= first && i < last) {
      me.rings.wait_for_fields(barriers, step, i);
      const int z = me.first_z + i - R;
      const float eta_z = F == z_form ? profiles.z[z + me.z_offset].eta : 0;
      Thread::add_source(queue, me, args, round, shared.v2dt2[me.rings.v.stage], z, eta_z);
      stop = i + 1;
    } else if (in_tile && i < last) {
      const int next = first > 2 * R ? first : 2 * R;
      if (next < stop) stop = next;
    }
    return stop < end ? stop : end;
  }

  /// The arrival behind which u_second of the rim is stored; 0: it is not the block's, or nobody asks.
  static MINIMOD_HD int rim_end_in(const Args& given, const Round& round) {
    if (!has_second || given.pass.args.slab.rim_done == nullptr || given.rim == 0) return 0;
    return given.pass.walk.chunk_of(round, Block::index()) == 0 ? given.rim + 2 * R : 0;
  }
  /// By those that compute.
  static MINIMOD_HD void tell_rim(const Args& given) {
    if (step_of(Block::thread()) == 0) return;
    Block::template sync_group<2, Shape::group>();
    if (Block::thread() == Shape::group) Block::count_for_others(given.pass.args.slab.rim_done);
  }

  /// By the threads of both steps, which begin a round, where the tile has points of the y slabs: the first
  /// step waits here for the end of the round before in the second.
  static MINIMOD_HD void take_tables(const Args& given, Shared& shared, const Profiles& profiles,
                                     const Round& round) {
    if ((slabs_of_tile(given, round) & 2) == 0) return;
    const float alpha = given.pass.args.alpha;
    const OfRound& of = profiles.round[step_of(Block::thread())];
    Block::template sync_group<3, computing>();
    for (int i = Block::thread(); i < Shape::width * Shape::height; i += computing) {
      const int column = i % Shape::width, row = i / Shape::width;
      const float eta = of.eta[column] + of.y_profile[row].eta;
      const float fading = alpha + eta;
      shared.inverse_2eta.value[row][column / lanes].value[column % lanes] =
          Block::reciprocal(fused(2.0F, eta, 1.0F));
      shared.minus_loss.value[row][column / lanes].value[column % lanes] =
          -fading * Block::reciprocal(1.0F + fading);
    }
    Block::template sync_group<3, computing>();
  }

  /// By the threads of a step, which begin a round. Beyond the grid nothing damps.
  static MINIMOD_HD void take_round(const Args& given, Profiles& profiles, const Round& round) {
    const int step = step_of(Block::thread()), place = Block::thread() % Shape::group;
    const auto all_of_step = [&] {
      if (step == 0) {
        Block::template sync_group<1, Shape::group>();
      } else {
        Block::template sync_group<2, Shape::group>();
      }
    };
    const Domain& args = given.pass.args;
    const RoundWalk& walk = given.pass.walk;
    const Index3 begin = walk.tile_begin(round, Block::index());
    OfRound& to = profiles.round[step];
    static_assert(Shape::group > Shape::width + Shape::height);
    all_of_step();
    if (place < Shape::width) {
      const int x = begin.x + place;
      const bool is_there = x < args.box.end.x;
      const float eta = is_there ? args.eta_x[x] : 0, fading = args.alpha + eta;
      to.eta[place] = eta;
      to.gradient[place] = is_there ? args.gradient_x * (args.eta_x[x + 1] - args.eta_x[x - 1]) : 0;
      to.inverse_2eta[place] = Block::reciprocal(fused(2.0F, eta, 1.0F));
      to.minus_loss[place] = -fading * Block::reciprocal(1.0F + fading);
    } else if (place < Shape::width + Shape::height) {
      const int row = place - Shape::width, y = begin.y + row;
      const bool is_there = y < args.box.end.y;
      to.y_profile[row] = {is_there ? args.eta_y[y] : 0,
                           is_there ? args.gradient_y * (args.eta_y[y + 1] - args.eta_y[y - 1]) : 0};
    } else if (place == Shape::width + Shape::height) {
      const Box3 done = walk.done_by(round, Block::index(), step),
                 own = walk.done_by(round, Block::index(), 1);
      to.x = begin.x;
      to.y = begin.y;
      const int wanted_begin = args.box.begin.z + (step == 0 ? 0 : args.slab.ghosts_above),
                wanted_end = args.box.end.z - (step == 0 ? 0 : args.slab.ghosts_below);
      to.done_begin = done.begin.z;
      to.done_end = done.end.z;
      to.stored_begin = done.begin.z > wanted_begin ? done.begin.z : wanted_begin;
      to.stored_end = done.end.z < wanted_end ? done.end.z : wanted_end;
      to.own_begin = own.begin.z;
      to.own_end = own.end.z;
    }
    all_of_step();
  }
};

}  // namespace minimod
