/// Family `semi`: the semi-stencil on 3-D blocks. Along each axis a thread loads its point and the R points
/// ahead and uses them twice: for the half sum of its own point, and for the other half of the point R ahead,
/// which goes through shared memory. The halves of the first R points of a tile come from points before it:
/// the first R threads of each axis sum these as well. A point costs 3R + 1 loads of u (and at 8 points an
/// axis half as many again for the halves from before the tile), 3 shared writes, 3 shared reads and one
/// barrier; 3 Dx Dy Dz values of shared memory. In the PML the gradient takes three loads more. Sums in
/// another order than `evaluate`: not the reference's bits. Sai et al., "Accelerating High-Order Stencils on
/// GPUs" (PMBS 2020), section IV.4.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/shapes/half_sums.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy, int Dz>
struct Semi : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static constexpr const char* family = "semi";
  static constexpr const char* summary =
      "3-D blocks, semi-stencil: half sums exchanged through shared memory";
  static constexpr const char* sums = "semi";
  static constexpr ExtraWork extra_work{
      17, "half sums: 8 multiply-adds and 1 addition an axis instead of 4 and 4, a sum an axis"};
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};
  static constexpr Extent3 threads = tile;
  struct Shared {
    Real x[Dz][Dy][Dx], y[Dz][Dy][Dx], z[Dz][Dy][Dx];  ///< the half sums from the points behind
  };

  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach) {
    return 3 * of.tile.points();
  }

  /// Gives the forward halves of one axis to the points R ahead: from the thread's own point, and, by the
  /// first R threads, from the point R before the tile's. `give(ahead, half)` stores a half at tile index
  /// `ahead`.
  template <class Give>
  static MINIMOD_HD void give_halves(int t, int size, int reach, const Real (&ring)[R], const Real* u,
                                     std::int64_t stride, const Give& give) {
    if (t + R < size && R < reach) {
      give(t + R, half_for_point_ahead(ring, [&](int m) { return u[m * stride]; }));
    }
    if (t < R) give(t, half_for_point_ahead(ring, [&](int m) { return u[(m - R) * stride]; }));
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Index3 t = block.thread();
    const Index3 p = tile_point(args.box.begin, tile, block.index(), t);
    const Layout& at = args.layout;
    const auto& w = args.weights;
    const bool inside = args.box.contains(p);
    const Real* u = args.u + at.index(p.x, p.y, p.z);
    if (inside) {
      const Index3 end = args.box.end;
      give_halves(t.x, Dx, end.x - p.x, w.x, u, 1, [&](int i, Real half) { shared.x[t.z][t.y][i] = half; });
      give_halves(t.y, Dy, end.y - p.y, w.y, u, at.stride_y,
                  [&](int j, Real half) { shared.y[t.z][j][t.x] = half; });
      give_halves(t.z, Dz, end.z - p.z, w.z, u, at.stride_z,
                  [&](int k, Real half) { shared.z[k][t.y][t.x] = half; });
    }
    block.sync();
    if (inside) {
      const MemoryStar<Real> star{u, at.stride_y, at.stride_z};
      const Real x = half_of_points_ahead(w.x, [&](int m) { return star.x(m); }) + shared.x[t.z][t.y][t.x];
      const Real y = half_of_points_ahead(w.y, [&](int m) { return star.y(m); }) + shared.y[t.z][t.y][t.x];
      const Real z = half_of_points_ahead(w.z, [&](int m) { return star.z(m); }) + shared.z[t.z][t.y][t.x];
      finish_point<Update>(args, p,
                           {*u, fused(w.centre, *u, (x + y) + z), star.x(1) - star.x(-1),
                            star.y(1) - star.y(-1), star.z(1) - star.z(-1)});
    }
  }
};

}  // namespace minimod
