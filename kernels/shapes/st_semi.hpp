/// Family `st_semi`: the semi-stencil in a 2.5-D stream, the combination that Sai et al. (PMBS 2020, sections
/// IV.4 and V) leave for future work. A 2-D block marches down the box. The plane of the centre with its halo
/// is in shared memory; along x and y a thread reads the R points ahead once and sums both halves, its own
/// and that of the point R ahead, which goes through shared memory; along z the plane's value gives its
/// halves to a queue of R registers, so that a column of R+1 values is enough. A point costs one load of u
/// and its share of the halo, 2R + 4 shared reads, 2 shared writes of halves, and two barriers;
/// (Dx+2R)(Dy+2R) + 2 Dx Dy values of shared memory. Not the reference's bits.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/shapes/half_sums.hpp"
#include "kernels/shapes/xy_plane.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy>
struct StSemi : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  using Plane = XyPlane<Real, HaloOf<Update, Update::u>, Dx, Dy>;
  static constexpr const char* family = "st_semi";
  static constexpr const char* summary =
      "2.5-D streaming, semi-stencil: half sums in shared memory and registers";
  static constexpr const char* sums = "st_semi";
  static constexpr ExtraWork extra_work{
      17,
      "half sums: 8 multiply-adds and 1 addition an axis instead of 4 and 4, a sum an axis; "
      "points of a tile beyond the box"};
  static constexpr Extent3 tile{Dx, Dy, 0};
  static constexpr Extent3 default_tile{32, 16, 0};
  static constexpr Extent3 threads{Dx, Dy, 1};
  struct Shared {
    Plane plane;
    Real x[Dy][Dx], y[Dy][Dx];  ///< the half sums from the points behind
  };

  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return plane_values(of, reach) + 2 * Extent3{of.tile.x, of.tile.y, 1}.points();
  }
  /// The first threads of each axis bring halves of both sides.
  static constexpr Refusal refusal(const ShapeParameters& of, int radius) {
    return why_too_short(of, {radius, radius, 0});
  }

  /// The column from the centre to R planes ahead, and the forward halves of those R planes; both shift.
  struct Column {
    Real ahead[R + 1] = {}, half[R] = {}, behind = 0;
    MINIMOD_HD Real operator()(int m) const { return ahead[m]; }
    MINIMOD_HD void push(Real leading) {
      behind = ahead[0];
#pragma unroll
      for (int m = 0; m < R; ++m) ahead[m] = ahead[m + 1];
      ahead[R] = leading;
    }
    /// Takes the half of the plane R ahead in, gives that of the centre out.
    MINIMOD_HD Real exchange(Real of_plane_ahead) {
      const Real of_centre = half[0];
#pragma unroll
      for (int m = 0; m + 1 < R; ++m) half[m] = half[m + 1];
      half[R - 1] = of_plane_ahead;
      return of_centre;
    }
  };

  /// The column as before the first push: the halves of the first R planes come from the R planes before the
  /// box.
  static MINIMOD_HD void start(Column& column, const Real* u, std::int64_t stride, const Real (&ring)[R]) {
#pragma unroll
    for (int k = 0; k < R; ++k) {
      column.ahead[k + 1] = u[k * stride];
      column.half[k] = half_for_point_ahead(ring, [&](int m) { return u[(k - R + m) * stride]; });
    }
    column.ahead[0] = u[-stride];
  }

  /// Sums the halves along x and y: the forward ones into shared memory for the points R ahead and, by the
  /// first R threads of an axis, for their own; the backward ones and the differences into `s`.
  static MINIMOD_HD StarValues<Real> exchange_in_plane(Shared& shared, Index3 t,
                                                       const StencilWeights<Real, R>& w) {
    const Real* centre = &shared.plane.value[t.y + R][t.x + R];
    constexpr int pitch = Dx + 2 * R;
    const auto x = [&](int m) { return centre[m]; };
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): offsets in a tile are small
    const auto y = [&](int m) { return centre[m * pitch]; };
    if (t.x + R < Dx) shared.x[t.y][t.x + R] = half_for_point_ahead(w.x, x);
    if (t.y + R < Dy) shared.y[t.y + R][t.x] = half_for_point_ahead(w.y, y);
    if (t.x < R) shared.x[t.y][t.x] = half_for_point_ahead(w.x, [&](int m) { return x(m - R); });
    if (t.y < R) shared.y[t.y][t.x] = half_for_point_ahead(w.y, [&](int m) { return y(m - R); });
    return {x(0), half_of_points_ahead(w.x, x) + half_of_points_ahead(w.y, y), x(1) - x(-1), y(1) - y(-1), 0};
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const auto lane = Lane<Dx, Dy, R>::of(block, box);
    const std::int64_t stride_z = args.layout.stride_z;
    const auto& w = args.weights;
    const Real* u = args.u + args.layout.index(lane.p.x, lane.p.y, lane.p.z);
    Column column;
    if (lane.fetches()) start(column, u, stride_z, w.z);

    for (int z = box.begin.z; z < box.end.z; ++z, u += stride_z) {
      if (lane.fetches()) column.push(u[R * stride_z]);
      shared.plane.fill(
          lane, u, args.layout.stride_y, [&](Real* to, const Real*, int, int) { *to = column(0); },
          [](Real* to, const Real* value) { *to = *value; });
      block.sync();
      StarValues<Real> s = exchange_in_plane(shared, lane.t, w);
      block.sync();
      const Real along_z =
          half_of_points_ahead(w.z, column) + column.exchange(half_for_point_ahead(w.z, column));
      if (lane.computes()) {
        const Real in_plane = s.laplacian + (shared.x[lane.t.y][lane.t.x] + shared.y[lane.t.y][lane.t.x]);
        s.laplacian = fused(w.centre, s.u, in_plane + along_z);
        s.dz = column(1) - column.behind;
        finish_point<Update>(args, {lane.p.x, lane.p.y, z}, s);
      }
    }
  }
};

}  // namespace minimod
