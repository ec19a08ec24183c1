/// Family `in_plane_full`: a 2-D block marches along z, and the plane that it loads is the one that its
/// points read: tile and halo, corners included, all at once, by vectors of V values. The plane gives each
/// point its share of the sums of all planes that read it; the sums that are not complete wait in registers,
/// and the oldest is stored. For equations that are sums of values times weights (which the program splits by
/// planes), constants or arrays that are read at the point alone, with corners or without. Tang et al.,
/// "Optimizing and Auto-Tuning Iterative Stencil Loops for GPUs with the In-Plane Method" (IPDPS 2013),
/// section III.C; there of a star alone, with a queue of values beside that of sums.
///
/// Other than there, sums stay in their registers, because the loop is unrolled as often as there are sums;
/// planes come by asynchronous copies, three of them on their way, into a ring of four in shared memory, so
/// that a plane has one barrier; and a thread's rows are neighbours, which share most of what they read, as
/// are its points along x where V divides their number: those are loaded, added up and stored as vectors.
///
/// A thread has PX x PY points of the tile. Of the equations it wants more:
///   lowest, highest           planes that are read, from the point's
///   outputs                   how many
///   has_factors_off_plane     whether `add` reads weights at the points of the sums, off the loaded plane
///   begin(sum)                sets the sums of all outputs to what is added to them
///   add<Z>(point, sum)        adds what they read Z planes off their point; `point` stands in that plane
///   store(point, sum)
#pragma once

#include "kernels/shapes/streaming.hpp"

namespace minimod {

/// Facts that do not depend on the equation.
struct InPlaneSumsFacts : ShapeDefaults {
  static constexpr int ahead = 3;  ///< planes on their way

  static constexpr bool stages(Reach reach) { return is_beside_in_plane(reach); }
  /// Whole vectors of as many planes as stand in shared memory or are on their way there.
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    const int v = of.vector_width;
    const int pitch = ceil_div(reach.lower.x, v) * v + of.tile.x + ceil_div(reach.upper.x, v) * v;
    return Extent3{pitch, of.tile.y - 1 + depth_y(reach), ahead + 1}.points();
  }
};

template <class Equation, int W, int H, int PX, int PY, int V>
struct InPlaneSums : InPlaneSumsFacts {
  using Real = typename Equation::Real;
  static constexpr int TX = W / PX, TY = H / PY;
  static constexpr int lowest = Equation::lowest, highest = Equation::highest;
  static constexpr int period = highest - lowest + 1;
  /// Of a thread's points along x: so many side by side, and so many of these, TX of them apart.
  static constexpr int lanes = PX % V == 0 ? V : 1, groups = PX / lanes;
  static constexpr Extent3 tile{W, H, 0}, threads{TX, TY, 1};

  template <int Array>
  struct Part {
    using Value = ValueOf<Equation, Array>;
    static constexpr Reach reach = Equation::reach(Array);
    static constexpr int left = ceil_div(reach.lower.x, V) * V;
    static constexpr int pitch = left + W + ceil_div(reach.upper.x, V) * V, rows = H - 1 + depth_y(reach);
    alignas(16) Value planes[ahead + 1][rows][pitch];
  };
  struct Shared : PartsOf<Part, typename Equation::BesideInPlane> {};
  static constexpr bool is_staged = !std::is_empty_v<Shared>;

  /// What a thread copies of a plane.
  template <int Array>
  struct Copies {
    using Its = Part<Array>;
    static constexpr int together = V * sizeof(typename Its::Value) > 16 ? 16 / sizeof(typename Its::Value)
                                                                         : V;
    static constexpr int count = Its::rows * Its::pitch / together, rounds = ceil_div(count, TX*TY);
    int from[rounds];  ///< values behind the first one of the window, or -1
  };
  using AllCopies = PartsOf<Copies, typename Equation::BesideInPlane>;

  /// Of a row of a thread's points, side by side: those to which the next plane comes as their m-th.
  struct Sums {
    Real of[period][lanes][Equation::outputs];
  };

  /// Number Lane of points side by side, whose first one stands at `index` of memory, at i, j of the tile.
  template <class Block, int Lane>
  struct Point {
    const Memory<Equation, Block>& memory;
    const Shared& shared;
    std::int64_t index;
    unsigned slot;
    int i, j;
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real load(int x, int y) const {
      using Its = Part<Array>;
      if constexpr (is_beside_in_plane(Its::reach)) {
        const int first = first_of_vector<lanes>(Lane + x);
        const auto& row = static_cast<const Its&>(shared).planes[slot][j + y + Its::reach.lower.y];
        return static_cast<Real>(
            reinterpret_cast<const Vector<typename Its::Value, lanes>*>(&row[Its::left + i + first])
                ->value[Lane + x - first]);
      } else {
        return factor<Array>(0);
      }
    }
    /// Of an array that is read at the point alone or, in the loaded plane, along z, that many planes away.
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real factor(int z) const {
      return static_cast<Real>(
          memory.template vector<Array, lanes>(index + z * memory.template layout<Array>().stride_z)
              .value[Lane]);
    }
  };

  /// Whether a plane of sums is one of the box, where their weights are.
  static MINIMOD_HD bool takes(const Box3& box, int plane) {
    return !Equation::has_factors_off_plane || (plane >= box.begin.z && plane < box.end.z);
  }

  /// Of the tile whose first point is `first`.
  static MINIMOD_HD AllCopies copies_of(const typename Equation::Args& args, Index3 first, int thread) {
    AllCopies all;
    for_each(typename Equation::BesideInPlane{}, [&]<int Array>() {
      using Its = Part<Array>;
      auto& copies = static_cast<Copies<Array>&>(all);
      const int width = args.box.end.x + Its::reach.upper.x - first.x + Its::left;
      const int height = args.box.end.y + Its::reach.upper.y - first.y + Its::reach.lower.y;
#pragma unroll
      for (int round = 0; round < copies.rounds; ++round) {
        const int value = (round * TX * TY + thread) * copies.together;
        const int y = value / Its::pitch, x = value % Its::pitch;
        const bool is_needed = y < Its::rows && y < height && x < width;
        copies.from[round] = is_needed ? y * static_cast<int>(args.layout.stride_y) + x : -1;
      }
    });
    return all;
  }

  /// Has a plane copied; `index` is that of the tile's first point in it.
  template <class Block>
  static MINIMOD_HD void bring(const Memory<Equation, Block>& memory, const AllCopies& all, Shared& shared,
                               unsigned slot, std::int64_t index, int thread) {
    for_each(typename Equation::BesideInPlane{}, [&]<int Array>() {
      using Its = Part<Array>;
      const auto& copies = static_cast<const Copies<Array>&>(all);
      using Copied = Vector<typename Its::Value, Copies<Array>::together>;
      const auto* const from = memory.template array<Array>() + index - Its::left -
                               Its::reach.lower.y * memory.args.layout.stride_y;
      auto* const to = reinterpret_cast<Copied*>(static_cast<Its&>(shared).planes[slot]) + thread;
#pragma unroll
      for (int round = 0; round < copies.rounds; ++round) {
        if (copies.from[round] < 0) continue;
        memory.block.copy_async(to + round * TX * TY,
                                reinterpret_cast<const Copied*>(from + copies.from[round]));
      }
    });
  }

  /// Adds a plane to the sums for which it is Z planes off, and to those of higher Z. `point`: has number
  /// Lane of the points side by side.
  template <int Z, class PointOf>
  static MINIMOD_HD void add_from(const PointOf& point, const Box3& box, int plane, int phase,
                                  Real (&sums)[period][lanes][Equation::outputs]) {
    if constexpr (Z <= highest) {
      if (takes(box, plane - Z)) {
        for_lanes<lanes>([&]<int Lane>() {
          Equation::template add<Z>(point.template operator()<Lane>(),
                                    sums[(phase + highest - Z) % period][Lane]);
        });
      }
      add_from<Z + 1>(point, box, plane, phase, sums);
    }
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared& shared) const {
    const Memory<Equation, Block> memory{args, block};
    const Layout& at = args.layout;
    const Index3 t = block.thread(), first = tile_point(args.box.begin, tile, block.index(), {0, 0, 0});
    const int begin = args.box.begin.z + lowest, end = args.box.end.z + highest, thread = t.x + TX * t.y;
    const int i = t.x * lanes, j = t.y * PY;  // of the thread's first point in the tile
    const int points_x = args.box.end.x - first.x - i, points_y = args.box.end.y - first.y - j;
    const AllCopies copies = copies_of(args, first, thread);
    std::int64_t coming = at.index(first.x, first.y, begin);
    std::int64_t own = at.index(first.x + i, first.y + j, begin);
    Sums waiting[PY][groups];
    const auto for_sums = [&](const auto& body) {
#pragma unroll
      for (int b = 0; b < PY; ++b) {
#pragma unroll
        for (int a = 0; a < groups; ++a) {
          constexpr int apart = TX * lanes;
          if (a * apart < points_x && b < points_y)
            body(waiting[b][a].of, a * apart, b, own + std::int64_t{a} * apart + b * at.stride_y);
        }
      }
    };
    for_sums([&](auto& of, int, int, std::int64_t) {
      for (auto& of_plane : of) {
        for (auto& of_lane : of_plane) Equation::begin(of_lane);
      }
    });
    const auto bring_plane = [&](int z, unsigned slot) {
      if (z < end) bring(memory, copies, shared, slot % (ahead + 1), coming, thread);
      coming += at.stride_z;
      block.commit();
    };
    for (int k = 0; is_staged && k < ahead; ++k) bring_plane(begin + k, k);
    unsigned slot = 0;
    march<period>(begin, end, [&](int z, int phase) {
      if constexpr (is_staged) {
        block.template wait<ahead - 1>();
        block.sync();
        bring_plane(z + ahead, slot + ahead);
      }
      for_sums([&](auto& of, int a, int b, std::int64_t index) {
        for (auto& of_lane : of[(phase + period - 1) % period]) Equation::begin(of_lane);
        const auto point = [&]<int Lane>() {
          return Point<Block, Lane>{memory, shared, index, slot, i + a, j + b};
        };
        add_from<lowest>(point, args.box, z, phase, of);
      });
      if (z - highest >= args.box.begin.z) {
        for_sums([&](auto& of, int a, int b, std::int64_t index) {
          const Index3 p{first.x + i + a, first.y + j + b, z - highest};
          index -= highest * at.stride_z;
          Results<Equation, lanes> results;
          for_lanes<lanes>([&]<int Lane>() {
            Equation::store(LaneOfMemory<Equation, Block, lanes, Lane>{memory, p, index, results},
                            of[phase][Lane]);
          });
          results.store(memory, index, points_x - a);
        });
      }
      own += at.stride_z;
      slot = (slot + 1) % (ahead + 1);
    });
  }
};

}  // namespace minimod
