/// Family `smem_u`, of specifications also called `tiled`: 3-D blocks, one thread a point; the tile of each
/// array that is read beside the point and its halo on six sides in shared memory, edges and corners only
/// where they are read. Of a star of radius R each thread fetches its own point; along each axis threads
/// 0 … R−1 fetch the halo on one side, threads R … 2R−1 that on the other, which an axis of 2R threads
/// balances. A point of the wave equation costs one load of u and its share of the halo (3 more at 8x8x8),
/// 6R + 1 shared reads and one barrier; (Dx+2R)(Dy+2R)(Dz+2R) values of shared memory. Sai et al.,
/// "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.2.
#pragma once

#include "kernels/shapes/xyz_tile.hpp"

namespace minimod {

template <class Equation, int Dx, int Dy, int Dz>
struct SmemU : ShapeDefaults {
  static constexpr const char* family = "smem_u";
  static constexpr FamilyNames names{{"smem_u", "tiled", "full_shared"}};
  static constexpr const char* summary = "3-D blocks, u with its halo in shared memory";
  static constexpr bool takes_any_equation = true;
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};
  static constexpr Extent3 threads = tile;

  template <int Array>
  struct Part {
    XyzTile<ValueOf<Equation, Array>, Dx, Dy, Dz, HaloOf<Equation, Array>> tile;
  };
  struct Shared : PartsOf<Part, typename Equation::Beside> {};

  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return tile_values(of, reach);
  }

  template <class Block>
  struct Point : OwnPoint<Equation, Block> {
    Shared& shared;
    Index3 t;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      if constexpr (is_beside(Equation::reach(Array))) {
        return static_cast<Part<Array>&>(shared).tile.at(t.x + x, t.y + y, t.z + z);
      } else {
        return OwnPoint<Equation, Block>::template load<Array>();
      }
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared& shared) const {
    const Memory<Equation, Block> memory{args, block};
    const Index3 t = block.thread();
    const Index3 first = tile_point(args.box.begin, tile, block.index(), {});
    for_each(typename Equation::Beside{}, [&]<int Array>() {
      using Tile = decltype(Part<Array>::tile);
      Tile& staged = static_cast<Part<Array>&>(shared).tile;
      if constexpr (Equation::is_star(Array) && Tile::has_threads_for_sides) {
        Tile::fetch_star(t, [&](Index3 offset) {
          staged.fetch(offset, memory, memory.template array<Array>(), memory.template layout<Array>(),
                       first);
        });
      } else {
        staged.fetch_all(t, memory, memory.template array<Array>(), memory.template layout<Array>(), first);
      }
    });
    if constexpr (!std::is_empty_v<Shared>) block.sync();
    const Index3 p{first.x + t.x, first.y + t.y, first.z + t.z};
    if (is_computed<Equation>(args, p)) compute_point<Equation>(block, Point<Block>{{memory, p}, shared, t});
  }
};

}  // namespace minimod
