/// Family `in_plane_full`: a 2-D block marches along z with one plane in shared memory, which is the plane
/// that is loaded: tile and halo, corners included, all at once. It gives each point its share of the sums of
/// all planes that read it; the sums that are not complete move on in registers, and the oldest is stored.
/// For equations that are sums of values times weights (which the program splits by planes), constants or
/// arrays that are read at the point alone, with corners or without. Two barriers a plane. Tang et al.,
/// "Optimizing and Auto-Tuning Iterative Stencil Loops for GPUs with the In-Plane Method" (IPDPS 2013),
/// section III.C; there of a star alone, with a queue of values beside that of sums.
///
/// A thread has PX x PY points of the tile. Of the equations it wants more:
///   lowest, highest           planes that are read, from the point's
///   outputs                   how many
///   has_factors_off_plane     whether `add` reads weights at the points of the sums, off the loaded plane
///   begin(sum)                sets the sums of all outputs to what is added to them
///   add<Z>(point, sum)        adds what they read Z planes off their point; `point` stands in that plane
///   store(point, sum)
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int W, int H, int PX, int PY, bool ReadOnly>
struct InPlaneFull : ShapeDefaults {
  using Real = typename Equations::Real;
  static constexpr int TX = W / PX, TY = H / PY;
  static constexpr int lowest = Equations::lowest, highest = Equations::highest;
  static constexpr Extent3 tile{W, H, 0}, threads{TX, TY, 1};

  template <int Array>
  struct Part {
    static constexpr Reach reach = Equations::reach(Array);
    SharedBox<ValueOf<Equations, Array>, W - 1 + depth_x(reach), H - 1 + depth_y(reach), 1> plane;
  };
  struct Shared : PartsOf<Part, typename Equations::BesideInPlane> {};

  /// Of a point: those to which the next plane comes as their m-th.
  struct Sums {
    Real of[highest - lowest + 1][Equations::outputs];
  };

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Source>
  struct Point : MemoryPoint<Equations, Source> {
    const Shared& shared;
    int i, j;
    template <int Array, int X, int Y>
    [[nodiscard]] MINIMOD_HD Real load() const {
      constexpr Reach reach = Equations::reach(Array);
      if constexpr (is_beside_in_plane(reach)) {
        return static_cast<const Part<Array>&>(shared)
            .plane.value[0][j + Y + reach.lower.y][i + X + reach.lower.x];
      } else {
        return MemoryPoint<Equations, Source>::template load<Array, 0, 0, 0>();
      }
    }
    /// Of an array that is read at the point alone, Z planes away.
    template <int Array, int Z>
    [[nodiscard]] MINIMOD_HD Real factor() const {
      return MemoryPoint<Equations, Source>::template load<Array, 0, 0, Z>();
    }
  };

  /// Whether a plane of sums is one of the box, where their weights are.
  static MINIMOD_HD bool takes(const Box3& box, int plane) {
    return !Equations::has_factors_off_plane || (plane >= box.begin.z && plane < box.end.z);
  }

  template <class Source>
  static MINIMOD_HD void bring(const Source& memory, Shared& shared, Index3 first) {
    const Index3 end = memory.args.box.end, t = memory.block.thread();
    for_each(typename Equations::BesideInPlane{}, [&]<int Array>() {
      constexpr Reach reach = Equations::reach(Array);
      const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z};
      const Extent3 there{end.x + reach.upper.x - from.x, end.y + reach.upper.y - from.y, 1};
      static_cast<Part<Array>&>(shared).plane.template fill<TX * TY>(
          t.x + TX * t.y, there, [&](int x, int y, int) {
            return memory.template value_at<Array>({from.x + x, from.y + y, from.z});
          });
    });
  }

  /// Adds the point's plane to the sums for which it is Z planes off and to those of lower Z, each of which
  /// is that of Z + 1 for the next plane.
  template <int Z, class PointType>
  static MINIMOD_HD void add_from(const PointType& point, const Box3& box, int plane, Sums& sums) {
    if constexpr (Z >= lowest) {
      if (takes(box, plane - Z)) Equations::template add<Z>(point, sums.of[Z - lowest]);
#pragma unroll
      for (int k = 0; k < Equations::outputs; ++k) sums.of[Z + 1 - lowest][k] = sums.of[Z - lowest][k];
      add_from<Z - 1>(point, box, plane, sums);
    }
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    const Layout& at = args.layout;
    Index3 first = tile_point(args.box.begin, tile, block.index(), {0, 0, 0});
    Sums sums[PY][PX];
    for_points_of_thread<PX, PY, TX, TY>(first, block.thread(), [&](int a, int b, Index3) {
#pragma unroll
      for (auto& of_plane : sums[b][a].of) Equations::begin(of_plane);
    });
    for (first.z += lowest; first.z < args.box.end.z + highest; ++first.z) {
      bring(memory, shared, first);
      if constexpr (!std::is_empty_v<Shared>) block.sync();
      for_points_of_thread<PX, PY, TX, TY>(first, block.thread(), [&](int a, int b, Index3 p) {
        if (p.x >= args.box.end.x || p.y >= args.box.end.y) return;
        const Point<Source> point{{memory, at.index(p.x, p.y, p.z)}, shared, p.x - first.x, p.y - first.y};
        Real(&complete)[Equations::outputs] = sums[b][a].of[highest - lowest];
        if (p.z - highest >= args.box.begin.z) {
          Equations::template add<highest>(point, complete);
          Equations::store(MemoryPoint<Equations, Source>{memory, point.index - highest * at.stride_z},
                           complete);
        }
        add_from<highest - 1>(point, args.box, p.z, sums[b][a]);
        Equations::begin(sums[b][a].of[0]);
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
    }
  }
};

}  // namespace minimod::stencil
