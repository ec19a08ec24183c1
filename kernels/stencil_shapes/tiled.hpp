/// Family `tiled`: a thread a point of a 3-D tile. Arrays that are read beside the point are staged in shared
/// memory, tile and halo with its corners; the others come from memory.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int Dx, int Dy, int Dz, bool ReadOnly>
struct Tiled : ShapeDefaults {
  static constexpr Extent3 tile{Dx, Dy, Dz}, threads = tile;

  template <int Array>
  struct Part {
    static constexpr Reach reach = Equations::reach(Array);
    SharedBox<ValueOf<Equations, Array>, Dx - 1 + depth_x(reach), Dy - 1 + depth_y(reach),
              Dz - 1 + depth_z(reach)>
        box;
  };
  struct Shared : PartsOf<Part, typename Equations::Beside> {};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Source>
  struct Point : MemoryPoint<Equations, Source> {
    Shared& shared;
    Index3 t;
    template <int Array, int X, int Y, int Z>
    [[nodiscard]] MINIMOD_HD typename Equations::Real load() const {
      constexpr Reach reach = Equations::reach(Array);
      if constexpr (is_beside(reach)) {
        return static_cast<Part<Array>&>(shared)
            .box.value[t.z + Z + reach.lower.z][t.y + Y + reach.lower.y][t.x + X + reach.lower.x];
      } else {
        return MemoryPoint<Equations, Source>::template load<Array, X, Y, Z>();
      }
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const ArrayArgs& args, Shared& shared) const {
    using Source = Memory<Equations, ReadOnly, Block>;
    const Source memory{args, block};
    const Index3 t = block.thread(), end = args.box.end;
    const Index3 first = tile_point(args.box.begin, tile, block.index(), {0, 0, 0});
    for_each(typename Equations::Beside{}, [&]<int Array>() {
      constexpr Reach reach = Equations::reach(Array);
      const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z - reach.lower.z};
      const Extent3 there{end.x + reach.upper.x - from.x, end.y + reach.upper.y - from.y,
                          end.z + reach.upper.z - from.z};
      static_cast<Part<Array>&>(shared).box.template fill<Dx * Dy * Dz>(
          t.x + Dx * (t.y + Dy * t.z), there, [&](int x, int y, int z) {
            return memory.template value_at<Array>({from.x + x, from.y + y, from.z + z});
          });
    });
    if constexpr (!std::is_empty_v<Shared>) block.sync();
    const Index3 p{first.x + t.x, first.y + t.y, first.z + t.z};
    if (!args.box.contains(p)) return;
    Equations::compute(Point<Source>{{memory, args.layout.index(p.x, p.y, p.z)}, shared, t});
  }
};

}  // namespace minimod::stencil
