/// Family `gmem_column`: 3-D blocks without shared memory, thread coarsening along z: a thread updates the Dz
/// points of a column, whose values it loads once, into registers. All others come straight from global
/// memory as in `gmem`. A point of the wave equation costs 4R + 1 + 2R / Dz loads of u (18 at Dz = 8, where
/// `gmem` has 25); no shared memory, no barrier. Thread coarsening as the tutorials on stencils describe it,
/// there with shared memory.
#pragma once

#include "kernels/shapes/streaming.hpp"

namespace minimod {

template <class Equation, int Dx, int Dy, int Dz>
struct GmemColumn : ShapeDefaults {
  static_assert(updates_all<Equation>);
  static constexpr const char* family = "gmem_column";
  static constexpr const char* summary =
      "3-D blocks, a column of points a thread, loads straight from global memory";
  static constexpr bool takes_any_equation = true;
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{32, 8, 8};
  static constexpr Extent3 threads{Dx, Dy, 1};
  struct Shared {};

  /// z comes from registers, once for the column.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters& of, int radius) {
    return 4.0 * radius + 1 + 2.0 * radius / of.tile.z;
  }

  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind kernel) {
    return thread_a_column(of, kernel);
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) { return why_too_many_points(of.tile.z); }

  /// The values of an array at a thread's points, above and below them.
  template <int Array>
  struct Column {
    ValueOf<Equation, Array> value[Dz - 1 + depth_z(Equation::reach(Array))];
  };
  using Columns = PartsOf<Column, typename Equation::Beside>;

  /// Number k of a thread: above and below it from the column, all others from memory.
  template <class Block>
  struct Point : OwnPoint<Equation, Block> {
    const Pointers<Equation>& from;
    const Columns& columns;
    int k;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr Reach reach = Equation::reach(Array);
      if constexpr (!is_beside(reach)) {
        return OwnPoint<Equation, Block>::template load<Array>();
      } else {
        if (x == 0 && y == 0) return static_cast<const Column<Array>&>(columns).value[k + z + reach.lower.z];
        return from.template value<Array>(this->memory, x, y, k + z);
      }
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared&) const {
    const Memory<Equation, Block> memory{args, block};
    const Index3 first = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (!args.box.contains(first)) return;
    const Pointers<Equation> from(memory, first);
    const int points_z = args.box.end.z - first.z;
    Columns columns;
    for_each(typename Equation::Beside{}, [&]<int Array>() {
      constexpr Reach reach = Equation::reach(Array);
      auto& column = static_cast<Column<Array>&>(columns).value;
      const auto* const at = static_cast<const PointerOf<Equation, Array>&>(from).at;
#pragma unroll
      for (int k = 0; k < Dz - 1 + depth_z(reach); ++k) {
        const int z = k - reach.lower.z;
        column[k] = z < points_z + reach.upper.z ? memory.value_in(at, z * args.layout.stride_z) : 0;
      }
    });
#pragma unroll
    for (int k = 0; k < Dz; ++k) {
      if (k >= points_z) break;
      const Index3 p{first.x, first.y, first.z + k};
      compute_point<Equation>(block, Point<Block>{{memory, p}, from, columns, k});
    }
  }
};

}  // namespace minimod
