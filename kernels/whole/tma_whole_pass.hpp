/// The work of the threads of a block of `tma_whole` and `tma_whole_step` (their headers say why). `Shape` is
/// one of these, `Block` is HopperBlock or, on the host, EmulatedBlock.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/whole/planes_near_slabs.hpp"
#include "kernels/whole/tma_whole.hpp"
#include "kernels/whole/tma_whole_step.hpp"
#include "kernels/whole/two_steps_pipeline.hpp"
#include "src/base/error.hpp"

namespace minimod {

/// Into the loop that calls it, whose registers it shares.
#ifdef __CUDACC__
#define MINIMOD_IN_LOOP __host__ __device__ __forceinline__
#else
#define MINIMOD_IN_LOOP inline
#endif

/// The march of a block's chunk in a round.
MINIMOD_HD inline March march_of(const RoundWalk& walk, const Round& round, int chunk) {
  return {walk.planes_begin(round, chunk, 0), walk.planes_begin(round, chunk, 1),
          walk.planes_end(round, chunk, 1), round.planes + 2 * stencil_radius};
}

/// Planes near the z slabs whose η a block can keep.
inline constexpr int most_damped_planes = 368;

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
    tuning.line = 32;          // rows of 256 B on three lines take a tenth longer than on two
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
inline std::string why_refused(const DomainArgs& args, const RoundWalk& walk) {
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
  if (args.layout.size > std::int64_t{1} << 34)  // vectors are counted in 32 bits
    return text("fields of ", args.layout.size, " values, more than 2^34");
  return "";
}

/// All that a launch gets.
template <class Shape, class Block>
struct WholeArgs {
  std::conditional_t<Shape::steps == 2, TwoStepsArgs<Block>, PassArgs<Block>> pass;
  unsigned stride_y, stride_z;  ///< strides of u and of φ, which lie alike, in vectors
  PlanesNearSlabs near;
  int surface;  ///< plane on which u is zero and above which it is odd; one that is never met, where there is
                ///< none
  int rim;      ///< planes of the rim above
};

/// The maps of a shape's tiles over the fields of a launch.
template <class Shape, class Block>
struct WholeMaps : TileMaps<typename Block::Map> {
  WholeMaps() : TileMaps<typename Block::Map>(Shape::width, Shape::height, Shape::fetch) {}
};

template <class Shape, class Block>
WholeArgs<Shape, Block> whole_args(const DomainArgs& args, const RoundWalk& walk,
                                   WholeMaps<Shape, Block>& maps) {
  const auto pass = [&] {
    if constexpr (Shape::steps == 2) {
      return two_steps_args<Block>(args, walk, maps);
    } else {
      return pass_args<Block>(args, walk, static_cast<unsigned*>(args.blocks.workspace), maps);
    }
  };
  WholeArgs<Shape, Block> given{pass(),
                                static_cast<unsigned>(args.layout.stride_y / vector_alignment),
                                static_cast<unsigned>(args.layout.stride_z / vector_alignment),
                                planes_near_slabs(args),
                                args.box.begin.z - (args.slab.has_surface ? 0 : most_damped_planes),
                                planes_of_rim(args)};
  if (Shape::steps == 1) given.pass.args.phi_next = args.phi;
  return given;
}

template <class ShapeType, class Block>
class WholePass {
 public:
  using Shape = ShapeType;
  using Shared = typename Shape::Shared;
  using Args = WholeArgs<Shape, Block>;
  static constexpr bool has_second = Shape::steps == 2;
  using Rings = std::conditional_t<has_second, TwoStepsRings<Shape, Block>, OneStepRings<Shape, Block>>;
  using Barriers = typename Rings::Barriers;
  static constexpr int R = stencil_radius, rows = Shape::rows, lanes = 4;
  /// Threads that compute; the others bring and announce.
  static constexpr int computing = Shape::steps * Shape::group;

  /// η along an axis and (η₊ − η₋) / (4h²).
  struct Profile {
    float eta, gradient;
  };

  /// Facts of the round that a step's threads are in.
  struct alignas(16) OfRound {
    /// Along x: η, the gradient, and where x alone damps 1 / (1 + 2η) and the loss of φ.
    float eta[Shape::width], gradient[Shape::width], inverse_2eta[Shape::width], minus_loss[Shape::width];
    Profile y_profile[Shape::height];
    int x, y;                                      ///< first point of the tile
    int done_begin, done_end, own_begin, own_end;  ///< planes of the step, and of those the chunk's own
    int stored_begin, stored_end;                  ///< planes whose u is kept
  };

  struct Profiles {
    OfRound round[Shape::steps];
    Profile z[most_damped_planes];
  };

  /// Bytes of a launch's workspace.
  [[nodiscard]] static std::size_t workspace_bytes(const RoundWalk& walk) {
    if constexpr (has_second) return two_steps_workspace<Block>(walk);
    return pass_workspace<Block>(walk);
  }

  /// By all threads, before the first use. Beyond the grid nothing damps.
  static MINIMOD_HD void take_profile_z(const Args& given, Profiles& profiles) {
    const DomainArgs& args = given.pass.args;
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
      const March march = march_of(walk, round, walk.chunk_of(round, Block::index()));
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
    if (warp == 0 && leads_warp) bring_fields<Shape, Block>(given.pass, shared, barriers);
    if constexpr (has_second) {
      if (warp == 1) bring_first_step<Shape>(given.pass, shared, barriers);
      if (warp >= 2 && leads_warp) announce<Shape>(given.pass, barriers, warp - 2);
    } else if (warp > 0) {
      keep_receivers(given, thread - 32);
    }
  }

 private:
  using Inner = InnerUpdate<float>;
  using Pml = PmlUpdate<float>;

  /// Forms of the loop over planes.
  enum Form : int { inner_form = 0, x_form = 1, xy_form = 3, z_form = 7 };

  /// The in-plane method: u of the last four planes of each row, and the sums that they began.
  struct Queue {
    float past[rows][R][lanes], sum[rows][R][lanes];
  };

  /// u at the receivers, by the threads of all blocks that have nothing else to do.
  static MINIMOD_HD void keep_receivers(const Args& given, int thread) {
    constexpr int threads = Shape::threads.x - computing - 32;
    const DomainArgs& args = given.pass.args;
    const int all = given.pass.walk.blocks() * threads;
    for (int i = Block::index() * threads + thread; i < args.shot.receiver_count; i += all)
      args.shot.recorded[i] = args.u[args.shot.receivers[i]];
  }

  static MINIMOD_HD int step_of(int thread) {
    return has_second && thread >= Shape::group ? 1 : 0;
  }
  /// The sample that the source adds in the thread's step.
  static MINIMOD_HD const float* sample_of(const DomainArgs& args) {
    return step_of(Block::thread()) == 0 ? args.shot.source_sample : args.shot.source_second;
  }
  static MINIMOD_HD void copy(float (&to)[lanes], const Vector4<float>& from) {
    *reinterpret_cast<Vector4<float>*>(to) = from;
  }
  static MINIMOD_HD Vector4<float>& as_vector(float (&values)[lanes]) {
    return *reinterpret_cast<Vector4<float>*>(values);
  }
  /// The values of a field's vector.
  template <class Value>
  static MINIMOD_HD Value* at(Value* field, unsigned vector) {
    return field + std::uint64_t{vector} * lanes;
  }
  static MINIMOD_HD const Vector4<float>& vector_in(const float* table) {
    return *reinterpret_cast<const Vector4<float>*>(table);
  }

  /// State of a thread in a round and form.
  struct Worker {
    unsigned index;  ///< index of its first vector in the plane that an arrival completes (mod 2³²)
    /// Bits of its rows: 0: stored; 4: the round's own; 8, 12: the same where x or y damp; 16: y damps.
    unsigned rows;
    int source;              ///< arrival that completes the source's first plane
    unsigned source_planes;  ///< none, where the thread has no point of it
    int first_z;             ///< plane of arrival 0
    int in_tile,
        in_halo;      ///< vector of its first point in a tile, and of that four rows before in one with halo
    int row, lane;    ///< place of its first point
    float* target;    ///< u⁺ or u⁺⁺
    int z_offset;     ///< from a plane to its place among the profiles along z
    bool meets_late;  ///< φ of a plane with the next one
    Rings rings;
  };

  /// Rows whose φ the plane meets, as Worker::rows has them but from 0 on.
  template <Form F>
  static MINIMOD_HD unsigned rows_of_phi(unsigned bits, const Args& args, const OfRound& round, int z) {
    const unsigned across = (bits >> 8 & 0xff) | (bits & 0xf0000);
    if (F != z_form) return across;
    const Box3& inner = args.pass.args.inner;
    if (z < round.done_begin || z >= round.done_end) return 0;
    const unsigned met = z < inner.begin.z || z >= inner.end.z ? (bits & 0xff) | 0xf0000 : across;
    return z >= round.own_begin && z < round.own_end ? met : met & ~0xf0U;
  }

  /// Adds the source to the sums of plane z, which is completed, in the threads that have its points. u⁺ is
  /// so stored once: where rounds overlap, another block may be reading it. In a rolled loop, as few planes
  /// meet it.
  static MINIMOD_HD void add_source(Queue& queue, const Worker& me, const DomainArgs& args,
                                    const OfRound& round, const typename Shape::Tile& v2dt2, int z,
                                    float eta_z) {
    const Box3& source = args.shot.source;
    const Extent3 n = source.extent();
#pragma unroll 1
    for (int place = 0; place < rows * lanes; ++place) {
      const int row = me.row + place / lanes, lane = me.lane + place % lanes;
      const Index3 p{round.x + lane - source.begin.x, round.y + row - source.begin.y, z - source.begin.z};
      if (p.x < 0 || p.x >= n.x || p.y < 0 || p.y >= n.y) continue;
      const float eta = round.eta[lane] + (round.y_profile[row].eta + eta_z);
      const float v = v2dt2.value[row][lane / lanes].value[lane % lanes];
      const float share = args.shot.source_shares[(p.z * n.y + p.y) * n.x + p.x];
      const float added = share * *sample_of(args) * fused(2.0F, eta, 1.0F) * Block::reciprocal(v);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int l = 0; l < lanes; ++l) queue.sum[r][0][l] += place == r * lanes + l ? added : 0;
      }
    }
  }

  /// A worker that the compiler takes for another, so that it keeps nothing made of its registers.
  static MINIMOD_IN_LOOP const Worker& anew(Worker& me) {
    asm volatile("" : "+r"(me.rows), "+r"(me.index), "+r"(me.in_tile));
    return me;
  }

  /// The plane that arrival i brings, in a form of the loop, and what a thread makes of it.
  template <Form F>
  struct Plane {
    static constexpr bool near_z = F == z_form, x_only = F == x_form, general = F == xy_form || F == z_form;
    static constexpr int pitch = Shape::threads_x + 2, width = Shape::threads_x;

    Queue& queue;
    Worker& me;
    const Args& given;
    Shared& shared;
    Barriers& barriers;
    const Profiles& profiles;
    const int i;
    float (&phi)[rows][lanes];  ///< where the form has some: rows that are not loaded stay as they are

    const DomainArgs& args = given.pass.args;
    const StencilWeights<float>& w = args.weights;
    const decltype(me.rings.u(0)) u_at = me.rings.u(i);
    const bool completes = !near_z || i >= 2 * R;  ///< the other forms meet later planes alone
    const bool late = near_z && me.meets_late;
    const int z = me.first_z + i, z_phi = z - (late ? 1 : 0);  ///< the plane that comes, and that of φ
    const int thread = Block::thread_anew(), step = step_of(thread);
    const unsigned my_rows = anew(me).rows, index = me.index;
    const OfRound& round = profiles.round[step];
    const unsigned meets = F != inner_form ? rows_of_phi<F>(my_rows, given, round, z_phi) : 0;
    const unsigned phi_index = index + (late ? R - 1 : R) * given.stride_z;
    const Profile* const y = round.y_profile + me.row;
    const float* const eta_x = round.eta + me.lane;
    /// In shared memory, four rows before the thread's first.
    const Vector4<float>* const u = &shared.u[step][u_at.stage].value[0][0] + me.in_halo;
    float column[rows + 2 * R][lanes] = {};  ///< the thread's rows and those beside them

    MINIMOD_IN_LOOP void march() {
      const bool leads_warp = thread % 32 == 0;
      if (F != inner_form) load_phi();
      barriers.full_u[step][u_at.stage].wait(u_at.parity);
      if (completes) me.rings.wait_for_fields(barriers, step, i);
      take_rows();
      complete();
      if (completes) me.rings.hand_over(barriers, step);
      Block::sync_warp();
      if (leads_warp && completes) me.rings.release(barriers, step, i);
      if (near_z && !late) add_phi_along_z();
      take_halo();
      begin();
      Block::sync_warp();
      if (leads_warp) barriers.empty_u[step][u_at.stage].arrive();
      me.index += given.stride_z;
      me.rings.advance(completes);
    }

    [[nodiscard]] MINIMOD_IN_LOOP bool stores_phi(int r) const { return (meets >> (4 + r) & 1U) != 0; }

    /// φ of the rows that meet it is on its way before the wait for the plane.
    MINIMOD_IN_LOOP void load_phi() {
      const float* const from = step == 0 ? args.phi : args.phi_next;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (near_z) as_vector(phi[r]) = {};  // the other forms load the same rows in all planes
        const bool wanted = (meets >> r & 1U) != 0;
        Block::load_if(wanted, phi[r], at(from, phi_index + r * given.stride_y));
        if (!has_second)  // the next plane's, for which its loads would wait the longer
          Block::prefetch_if(wanted, at(from, phi_index + given.stride_z + r * given.stride_y));
      }
    }

    /// The thread's own rows of the plane that comes.
    MINIMOD_IN_LOOP void take_rows() {
      const bool is_image = near_z && step == 1 && z < given.surface;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        copy(column[R + r], u[(R + r) * pitch]);
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          if (is_image) column[R + r][l] = -column[R + r][l];
        }
      }
    }

    /// The rows beside them.
    MINIMOD_IN_LOOP void take_halo() {
#pragma unroll
      for (int k = 0; k < R; ++k) {
        copy(column[k], u[k * pitch]);
        copy(column[R + rows + k], u[(R + rows + k) * pitch]);
      }
    }

    /// First what the plane completes: others wait for it. Points right of the grid have u, u⁻ and (V Δt)² of
    /// zero, and so their u⁺ is what stands there. (Before the first plane it is computed of u alone and not
    /// stored: behind a branch the compiler would move sums of other planes into it, and spill.)
    MINIMOD_IN_LOOP void complete() {
      const Vector4<float>* const v = completes ? me.rings.v2dt2(shared) + me.in_tile : u;
      const Vector4<float>* const before = completes ? me.rings.u_before(shared, step, i) + me.in_tile : u;
      const bool is_stored = !near_z || (z - R >= round.stored_begin && z - R < round.stored_end);
      const unsigned stored = is_stored ? my_rows : 0;
      float inverse_2eta[lanes], eta[lanes], eta_z = 0;
      if (F != inner_form) copy(eta, vector_in(eta_x));
      if (x_only) copy(inverse_2eta, vector_in(round.inverse_2eta + me.lane));
      if (near_z) eta_z = profiles.z[z - R + me.z_offset].eta;
      if (completes && static_cast<unsigned>(i - me.source) < me.source_planes)
        add_source(queue, me, args, round, shared.v2dt2[me.rings.v.stage], z - R, eta_z);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        float v2dt2[lanes], u_before[lanes], next[lanes];
        const float(&u_here)[lanes] = queue.past[r][0];
        copy(u_before, before[r * width]);
        copy(v2dt2, v[r * width]);
        if (step == 0 && completes)
          me.rings.keep_u(shared, me.in_tile + r * width, as_vector(queue.past[r][0]));
        const float eta_yz = general ? y[r].eta + eta_z : 0;
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          const float sum = fused(w.z[R - 1], column[R + r][l], queue.sum[r][0][l]);
          if (general) {
            const float whole = eta[l] + eta_yz;
            next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(whole * whole),
                                Block::reciprocal(fused(2.0F, whole, 1.0F)));
          } else if (x_only) {
            next[l] = Pml::next(u_here[l], sum, v2dt2[l], u_before[l], -(eta[l] * eta[l]), inverse_2eta[l]);
          } else {
            next[l] = Inner::next({u_here[l], sum, 0, 0, 0}, v2dt2[l], u_before[l]);
          }
          if (near_z && z - R == given.surface) next[l] = 0;
        }
        Block::store_if((stored >> r & 1U) != 0, at(me.target, index + r * given.stride_y), next);
        move_on(r);
      }
    }

    /// A row's queue takes the plane that comes. Its sum begins with the oldest plane, whose place it can
    /// take.
    MINIMOD_IN_LOOP void move_on(int r) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        const float begun = w.z[R - 1] * queue.past[r][0][l];
#pragma unroll
        for (int m = 1; m < R; ++m) queue.past[r][m - 1][l] = queue.past[r][m][l];
        queue.past[r][R - 1][l] = column[R + r][l];
        queue.sum[r][0][l] = begun;
      }
    }

    /// The part of φ⁺ along z, of the plane before.
    MINIMOD_IN_LOOP void add_phi_along_z() {
      const Profile before = profiles.z[z - 1 + me.z_offset];
      const unsigned adds = rows_of_phi<F>(my_rows, given, round, z - 1);
      if (before.gradient == 0 || adds == 0) return;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if ((adds >> (4 + r) & 1U) == 0) continue;
        float eta[lanes], part[lanes];
        copy(eta, vector_in(eta_x));
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          const float kept = Block::reciprocal(1.0F + (args.alpha + (eta[l] + (y[r].eta + before.eta))));
          part[l] = -before.gradient * kept * (column[R + r][l] - queue.past[r][1][l]);
        }
        Block::add_in_l2(at(args.phi_next, index + (R - 1) * given.stride_z + r * given.stride_y), part);
      }
    }

    /// The sums of the plane that comes, and its part of those of the planes before.
    MINIMOD_IN_LOOP void begin() {
      float eta_z = 0, gradient_z = 0;
      if (near_z) {
        const Profile here = profiles.z[z_phi + me.z_offset];
        eta_z = here.eta;
        gradient_z = late ? here.gradient : 0;
      }
      float gradient_x[lanes], minus_loss[lanes];
      if (F != inner_form) copy(gradient_x, vector_in(round.gradient + me.lane));
      if (x_only) copy(minus_loss, vector_in(round.minus_loss + me.lane));
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        float begun[lanes];
#pragma unroll
        for (int l = 0; l < lanes; ++l) begun[l] = queue.sum[r][0][l];
        add_to_sums(r);
        float across[3 * lanes];
        take_across(r, across);
        if (F != inner_form && (x_only || stores_phi(r)))
          store_phi(r, across, gradient_x, minus_loss, eta_z, gradient_z);
        begin_sum(r, across, begun);
      }
    }

    /// A row's part, along z, of the sums of the planes before, which move on.
    MINIMOD_IN_LOOP void add_to_sums(int r) {
      if (near_z) {  // the plane before takes its φ as where that came early
#pragma unroll
        for (int l = 0; l < lanes; ++l) queue.sum[r][R - 1][l] += late ? phi[r][l] : 0;
      }
#pragma unroll
      for (int m = R - 1; m >= 1; --m) {
#pragma unroll
        for (int l = 0; l < lanes; ++l)
          queue.sum[r][R - 1 - m][l] = fused(w.z[m - 1], column[R + r][l], queue.sum[r][R - m][l]);
      }
    }

    /// A row with the vectors left and right of its points.
    MINIMOD_IN_LOOP void take_across(int r, float (&across)[3 * lanes]) const {
      as_vector(*reinterpret_cast<float(*)[lanes]>(across)) = u[(R + r) * pitch - 1];
#pragma unroll
      for (int l = 0; l < lanes; ++l) across[lanes + l] = column[R + r][l];
      as_vector(*reinterpret_cast<float(*)[lanes]>(across + 2 * lanes)) = u[(R + r) * pitch + 1];
    }

    /// φ⁺ of a row, but for its part along z where that is added later.
    MINIMOD_IN_LOOP void store_phi(int r, const float (&across)[3 * lanes], const float (&gradient_x)[lanes],
                                   const float (&minus_loss)[lanes], float eta_z, float gradient_z) const {
      float next[lanes], eta[lanes];
      if (general) copy(eta, vector_in(eta_x));
      const float eta_yz = general ? y[r].eta + eta_z : 0;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        float decay = gradient_x[l] * (across[lanes + l + 1] - across[lanes + l - 1]);
        float loss = minus_loss[l];
        if (general) {
          decay = fused(y[r].gradient, column[R + r + 1][l] - column[R + r - 1][l], decay);
          if (near_z) decay = Pml::decay(decay, column[R + r][l] - queue.past[r][1][l], gradient_z);
          const float fading = args.alpha + (eta[l] + eta_yz);
          loss = -fading * Block::reciprocal(1.0F + fading);
        }
        next[l] = Pml::phi_next(phi[r][l], decay, loss);
      }
      float* const to = at(args.phi_next, phi_index + r * given.stride_y);
      if (x_only) {
        Block::store_if(stores_phi(r), to, next);
      } else {
        *reinterpret_cast<Vector4<float>*>(to) = as_vector(next);
      }
    }

    /// The sum of a row of the plane that comes, of all that is known of it.
    MINIMOD_IN_LOOP void begin_sum(int r, const float (&across)[3 * lanes], const float (&begun)[lanes]) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        float sum = begun[l];
#pragma unroll
        for (int m = R; m >= 2; --m)
          sum = fused(w.y[m - 1], column[R + r + m][l] + column[R + r - m][l], sum);
#pragma unroll
        for (int m = R; m >= 2; --m)
          sum = fused(w.x[m - 1], across[lanes + l + m] + across[lanes + l - m], sum);
#pragma unroll
        for (int m = R - 1; m >= 2; --m) sum = fused(w.z[m - 1], queue.past[r][R - 1 - m][l], sum);
        sum = fused(w.y[0], column[R + r + 1][l] + column[R + r - 1][l], sum);
        sum = fused(w.x[0], across[lanes + l + 1] + across[lanes + l - 1], sum);
        sum = fused(w.z[0], queue.past[r][R - 2][l], sum);
        sum = fused(w.centre, column[R + r][l], sum);
        if (F != inner_form) sum += late ? 0 : phi[r][l];
        queue.sum[r][R - 1][l] = sum;
      }
    }
  };

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
  template <Form F>
  static MINIMOD_IN_LOOP void march_part(Queue& queue, const Args& given, Shared& shared, Barriers& barriers,
                                         const Profiles& profiles, int number, int z_offset, int i, int end) {
    const int thread = Block::thread_anew();
    asm volatile("" : "+r"(number));
    // Threads beyond those of the tile do what its last one does, and store nothing.
    constexpr int last = Shape::threads_x * Shape::threads_y - 1;
    const int step = step_of(thread), of_group = thread % Shape::group,
              place = of_group < last ? of_group : last;
    const DomainArgs& args = given.pass.args;
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
    const bool x_damps =
        p.x < (inner.begin.x + sector - 1) / sector * sector || p.x + lanes > inner.end.x / sector * sector;
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
    const Box3& source = args.shot.source;
    const bool has_source = sample_of(args) != nullptr && source.begin.x < p.x + lanes &&
                            source.end.x > p.x && source.begin.y < p.y + rows && source.end.y > p.y;
    me.source = source.begin.z - p.z + 2 * R;
    me.source_planes = has_source ? source.end.z - source.begin.z : 0;
    me.first_z = first_z;
    me.index = static_cast<unsigned>(args.layout.index(p.x, p.y, p.z + i - 2 * R) / lanes);
    me.row = ty * rows;
    me.lane = lanes * tx;
    me.in_tile = me.row * Shape::threads_x + tx;
    me.in_halo = me.row * (Shape::threads_x + 2) + tx + 1;
    me.target = step == 0 ? args.u_next : args.u_second;
    me.meets_late = F == z_form && slabs_of_tile(given, round) == 0;
    me.z_offset = z_offset;
    const unsigned completed = round.planes_before + (i > 2 * R ? i - 2 * R : 0);  // planes so far
    me.rings = Rings(round.planes_before + number * 2 * R + i, completed);
    float phi[rows][lanes] = {};
#pragma unroll 1
    do {
      Plane<F>{queue, me, given, shared, barriers, profiles, i, phi}.march();
    } while (++i != end);
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
    const DomainArgs& args = given.pass.args;
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

#undef MINIMOD_IN_LOOP

}  // namespace minimod
