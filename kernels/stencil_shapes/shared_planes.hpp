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

/// A part of an array's plane in shared memory.
template <class Value, int Nx, int Ny>
struct SharedPlane {
  Value value[Ny][Nx];

  /// Brings it by `Threads` threads, of which this is number `thread`; read(x, y) has the value of a place.
  /// From width and height on arrays may end, and nobody needs it.
  template <int Threads, class Read>
  MINIMOD_HD void fill(int thread, int width, int height, const Read& read) {
#pragma unroll 4
    for (int i = thread; i < Nx * Ny; i += Threads) {
      const int x = i % Nx, y = i / Nx;
      if (x < width && y < height) value[y][x] = read(x, y);
    }
  }
};

template <class Equations, int W, int H, int Dz, int PX, int PY>
struct SharedPlanes : ShapeDefaults {
  static constexpr int TX = W / PX, TY = H / PY;
  static constexpr Extent3 tile{W, H, Dz}, threads{TX, TY, 1};

  template <int Array>
  struct Part {
    static constexpr Reach reach = Equations::reach(Array);
    using Plane = SharedPlane<ValueOf<Equations, Array>, W - 1 + depth_x(reach), H - 1 + depth_y(reach)>;
    Plane planes[depth_z(reach)];  ///< that which is `step` + m from the block's first stands at(step, m)
    [[nodiscard]] MINIMOD_HD Plane& at(int step, int m) {
      return planes[static_cast<unsigned>(step + m + reach.lower.z) % depth_z(reach)];
    }
  };
  struct Shared : PartsOf<Part, typename Equations::Beside> {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  struct Point : OwnPoint<Equations, Block> {
    Shared& shared;
    int step, i, j;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equations::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr Reach reach = Equations::reach(Array);
      if constexpr (is_beside(reach)) {
        return static_cast<Part<Array>&>(shared).at(step, z).value[j + y + reach.lower.y]
                                                                  [i + x + reach.lower.x];
      } else {
        return OwnPoint<Equations, Block>::template load<Array>();
      }
    }
  };

  /// Brings the plane m from that of the step.
  template <int Array, class Block>
  static MINIMOD_HD void bring(const Memory<Equations, Block>& memory, Shared& shared, Index3 first, int step,
                               int m) {
    constexpr Reach reach = Equations::reach(Array);
    const Index3 end = memory.args.box.end, t = memory.block.thread();
    const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z + step + m};
    static_cast<Part<Array>&>(shared).at(step, m).template fill<TX * TY>(
        t.x + TX * t.y, end.x + reach.upper.x - from.x, end.y + reach.upper.y - from.y, [&](int x, int y) {
          return memory.template value_at<Array>({from.x + x, from.y + y, from.z});
        });
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equations::Args& args, Shared& shared) const {
    const Memory<Equations, Block> memory{args, block};
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
        Equations::compute(Point<Block>{{memory, p}, shared, step, p.x - first.x, p.y - first.y});
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
    }
  }
};

}  // namespace minimod::stencil
