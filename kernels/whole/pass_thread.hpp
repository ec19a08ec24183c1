/// State of the threads that compute a pass over the domain (tma_whole_pass.hpp): profiles in shared memory,
/// sums in registers, and their place in a round.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/update.hpp"
#include "kernels/whole/whole_args.hpp"

/// Into the loop that calls it, whose registers it shares.
#ifdef __CUDACC__
#define MINIMOD_IN_LOOP __host__ __device__ __forceinline__
#else
#define MINIMOD_IN_LOOP inline
#endif

namespace minimod {

/// Forms of the loop over planes.
enum PassForm : int { inner_form = 0, x_form = 1, xy_form = 3, z_form = 7 };

template <class ShapeType, class Block>
struct PassThread {
  using Shape = ShapeType;
  using Shared = typename Shape::Shared;
  using Args = WholeArgs<Shape, Block>;
  static constexpr bool has_second = Shape::steps == 2;
  using Rings = std::conditional_t<has_second, TwoStepsRings<Shape, Block>, OneStepRings<Shape, Block>>;
  using Barriers = typename Rings::Barriers;
  static constexpr bool in_chunks = lies_in_chunks<Shape>;
  static constexpr int R = Shape::R, rows = Shape::rows, lanes = 4;
  static constexpr int beside = ceil_div(R, lanes);  ///< vectors of the halo along x, on either side
  using Domain = DomainArgsOf<R>;
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

  /// The in-plane method: u of the last R planes of each row, and the sums that they began. φ's part along z
  /// wants three planes.
  struct Queue {
    static constexpr int kept = R > 3 ? R : 3;
    float past[rows][kept][lanes], sum[rows][R][lanes];
    /// u of a row so many planes before the newest that is kept.
    [[nodiscard]] MINIMOD_IN_LOOP const float (&u(int row, int planes_before) const)[lanes] {
      return past[row][kept - 1 - planes_before];
    }
  };

  static MINIMOD_HD int step_of(int thread) { return has_second && thread >= Shape::group ? 1 : 0; }
  /// The sample that the source adds in the thread's step.
  static MINIMOD_HD const float* sample_of(const Domain& args) {
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
    int first_z;  ///< plane of arrival 0
    int in_tile,
        in_halo;      ///< vector of its first point in a tile, and of that R rows before in one with halo
    int row, lane;    ///< place of its first point
    float* target;    ///< u⁺ or u⁺⁺
    int z_offset;     ///< from a plane to its place among the profiles along z
    bool meets_late;  ///< φ of a plane with the next one
    /// Where fields lie in chunks: bits of arrivals, whether the thread's chunk changes sides in the field
    /// that is stored, in φ that is loaded and in φ that is stored; the present one's has the value of a
    /// chunk's vectors.
    unsigned changes[3];
    Rings rings;
  };

  /// A warp's threads, which are in one chunk, find the changes of 32 arrivals together.
  template <PassForm F>
  static MINIMOD_IN_LOOP void take_changes(Worker& me, const Args& given, int i) {
    const auto& places = given.pass.places;
    const int thread = Block::thread_anew(), step = step_of(thread);
    const unsigned there = me.index + static_cast<unsigned>(thread % 32 - i % 32) * given.stride_z;
    const auto found = [&](unsigned vector, const PagesOfLaunch& pages) {
      const unsigned bits = Block::bits_of_warp(places.of_vector(vector, pages) != vector);
      return rotated(bits, (i - chunk_bit) % 32);
    };
    me.changes[0] = found(there, places.stored[step]);
    if (F == inner_form) return;
    const unsigned of_phi = there + (me.meets_late ? R - 1 : R) * given.stride_z;
    me.changes[1] = found(of_phi, places.phi[step]);
    me.changes[2] = found(of_phi, places.phi[1]);
  }
  static MINIMOD_IN_LOOP void turn_changes(Worker& me) {
#pragma unroll
    for (unsigned& changes : me.changes) changes = rotated(changes, 1);
  }
  static constexpr int chunk_bit = 8;
  static_assert(1 << chunk_bit == ChunkLayout::vectors);
  static MINIMOD_HD unsigned rotated(unsigned bits, int by) {
    return bits >> (by & 31) | bits << (-by & 31);
  }

  /// Rows whose φ the plane meets, as Worker::rows has them but from 0 on.
  template <PassForm F>
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
  static MINIMOD_HD void add_source(Queue& queue, const Worker& me, const Domain& args, const OfRound& round,
                                    const typename Shape::Tile& v2dt2, int z, float eta_z) {
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
};

}  // namespace minimod
