/// Family `coarsened`, and `register_tiled` where corners off the plane are read: a 2-D block marches along z
/// with the planes that its points read in shared memory, 2R + 1 of each array that is read beside the point,
/// tile and halo with its corners. A plane that comes takes the place of the oldest; two barriers a plane.
///
/// Thread coarsening with slicing: a block for each slice of Dz planes (0: of all). A thread has PX x PY
/// points of the tile, which is block size different from block dimension as Zhang and Mueller (CGO 2012)
/// have it.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int W, int H, int Dz, int PX, int PY, bool ReadOnly>
struct SharedPlanes : ShapeDefaults {
  static constexpr int TX = W / PX, TY = H / PY;
  static constexpr Extent3 tile{W, H, Dz}, threads{TX, TY, 1};

  template <int Array>
  struct Part {
    static constexpr Reach reach = Equations::reach(Array);
    using Plane = SharedBox<ValueOf<Equations, Array>, W - 1 + depth_x(reach), H - 1 + depth_y(reach), 1>;
    Plane planes[depth_z(reach)];  ///< that which is `step` + m from the block's first stands at(step, m)
    [[nodiscard]] MINIMOD_HD Plane& at(int step, int m) {
      return planes[static_cast<unsigned>(step + m + reach.lower.z) % depth_z(reach)];
    }
  };
  struct Shared : PartsOf<Part, typename Equations::Beside> {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Source>
  struct Point : MemoryPoint<Equations, Source> {
    Shared& shared;
    int step, i, j;
    template <int Array, int X, int Y, int Z>
    [[nodiscard]] MINIMOD_HD typename Equations::Real load() const {
      constexpr Reach reach = Equations::reach(Array);
      if constexpr (is_beside(reach)) {
        return static_cast<Part<Array>&>(shared).at(step, Z).value[0][j + Y + reach.lower.y]
                                                                  [i + X + reach.lower.x];
      } else {
        return MemoryPoint<Equations, Source>::template load<Array, X, Y, Z>();
      }
    }
  };

  /// Brings the plane m from that of the step.
  template <int Array, class Source>
  static MINIMOD_HD void bring(const Source& memory, Shared& shared, Index3 first, int step, int m) {
    constexpr Reach reach = Equations::reach(Array);
    const Index3 end = memory.args.box.end, t = memory.block.thread();
    const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z + step + m};
    const Extent3 there{end.x + reach.upper.x - from.x, end.y + reach.upper.y - from.y, 1};
    static_cast<Part<Array>&>(shared).at(step, m).template fill<TX * TY>(
        t.x + TX * t.y, there, [&](int x, int y, int) {
          return memory.template value_at<Array>({from.x + x, from.y + y, from.z});
        });
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    const Index3 t = block.thread();
    const Index3 first = tile_point(args.box.begin, tile, block.index(), {0, 0, 0});
    const int left = args.box.end.z - first.z, steps = Dz > 0 && Dz < left ? Dz : left;
    for_each(typename Equations::Beside{}, [&]<int Array>() {
      constexpr Reach reach = Equations::reach(Array);
      for (int m = -reach.lower.z; m < reach.upper.z; ++m) bring<Array>(memory, shared, first, 0, m);
    });
    for (int step = 0; step < steps; ++step) {
      for_each(typename Equations::Beside{}, [&]<int Array>() {
        bring<Array>(memory, shared, first, step, Equations::reach(Array).upper.z);
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
      for_points_of_thread<PX, PY, TX, TY>(first, t, [&](int, int, Index3 p) {
        p.z += step;
        if (!args.box.contains(p)) return;
        Equations::compute(Point<Source>{
            {memory, args.layout.index(p.x, p.y, p.z)}, shared, step, p.x - first.x, p.y - first.y});
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
    }
  }
};

}  // namespace minimod::stencil
