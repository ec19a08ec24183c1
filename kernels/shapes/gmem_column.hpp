/// Family `gmem_column`: 3-D blocks without shared memory, thread coarsening along z: a thread updates the Dz
/// points of a column, whose values of u it loads once, into registers. x and y come straight from global
/// memory as in `gmem`. A point costs 4R + 1 + 2R / Dz loads of u (18 at Dz = 8, where `gmem` has 25); no
/// shared memory, no barrier. Thread coarsening as the tutorials on stencils describe it, there with shared
/// memory.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy, int Dz>
struct GmemColumn : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static constexpr const char* family = "gmem_column";
  static constexpr const char* summary =
      "3-D blocks, a column of points a thread, loads straight from global memory";
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{32, 8, 8};
  static constexpr Extent3 threads{Dx, Dy, 1};
  struct Shared {};

  /// z comes from registers, once for the column.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters& of, int radius) {
    return 4.0 * radius + 1 + 2.0 * radius / of.tile.z;
  }

  static constexpr Extent3 threads_of(const ShapeParameters& of, bool damps) {
    return thread_a_column(of, damps);
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) { return why_too_many_points(of.tile.z); }

  /// z from the column, x and y from memory.
  struct Star {
    const Real* u;
    std::int64_t stride_y;
    const Real* column;
    MINIMOD_HD Real x(int m) const { return m == 0 ? column[0] : u[m]; }
    MINIMOD_HD Real y(int m) const { return u[m * stride_y]; }
    MINIMOD_HD Real z(int m) const { return column[m]; }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared&) const {
    const Index3 p = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (!args.box.contains(p)) return;
    const Layout& at = args.layout;
    const Real* u = args.u + at.index(p.x, p.y, p.z);
    const int reach_z = args.box.end.z + R - p.z;
    Real column[Dz + 2 * R];
#pragma unroll
    for (int k = 0; k < Dz + 2 * R; ++k) column[k] = k - R < reach_z ? u[(k - R) * at.stride_z] : Real(0);
#pragma unroll
    for (int k = 0; k < Dz; ++k) {
      if (k + R >= reach_z) break;
      update_point<Update>(args, {p.x, p.y, p.z + k}, Star{u + k * at.stride_z, at.stride_y, column + k + R});
    }
  }
};

}  // namespace minimod
