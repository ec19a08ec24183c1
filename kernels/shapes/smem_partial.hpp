/// Family `smem_partial`: 2.5-D streaming along z with the plane of the centre only partly in shared memory:
/// its tile and the halos along y, which whole rows of threads fetch. The halos along x, whose few points in
/// each row would split the warps, are read from global memory, where neighbouring threads have just put them
/// into L1. A point costs 2R + 1 loads of u and its share of the y halo, 2R shared reads and two barriers; Dx
/// (Dy+2R) values of shared memory. Itu et al., "GPU Optimized Computation of Stencil Based Algorithms"
/// (2011), there in 2-D, here on the planes of a stream.
#pragma once

#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/z_column.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy>
struct SmemPartial : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  using Column = ShiftingColumn<Real, R, R>;
  static_assert(Dy >= R, "the first R rows of threads fetch both halos");

  static constexpr const char* family = "smem_partial";
  static constexpr const char* summary =
      "2.5-D streaming, y halos in shared memory, x halos from global memory";
  static constexpr Extent3 tile{Dx, Dy, 0};
  static constexpr Extent3 default_tile{32, 16, 0};
  static constexpr Extent3 threads{Dx, Dy, 1};
  struct Shared {
    Real row[Dy + 2 * R][Dx];
  };

  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return Extent3{of.tile.x, of.tile.y - 1 + depth_y(reach), 1}.points();
  }
  /// The first rows of threads fetch both halos.
  static constexpr Refusal refusal(const ShapeParameters& of, int radius) {
    return why_too_short(of, {0, radius, 0});
  }

  struct Star {
    const Real* u;
    const Shared& shared;
    Column& column;
    Index3 t;
    MINIMOD_HD Real x(int m) const { return m == 0 ? z(0) : u[m]; }
    MINIMOD_HD Real y(int m) const { return shared.row[t.y + R + m][t.x]; }
    MINIMOD_HD Real z(int m) const { return column.at(0, m); }
  };

  /// The rows of the tile and of its halos along y; beyond the box's end along x nobody needs them.
  static MINIMOD_HD void fill(Shared& shared, const Lane<Dx, Dy, R>& lane, Real own, const Real* u,
                              std::int64_t stride_y) {
    shared.row[lane.t.y + R][lane.t.x] = own;
    if (lane.t.y >= R) return;
    shared.row[lane.t.y][lane.t.x] = u[-R * stride_y];
    if (Dy < lane.reach_y) shared.row[lane.t.y + R + Dy][lane.t.x] = u[Dy * stride_y];
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const auto lane = Lane<Dx, Dy, R>::of(block, box);
    const std::int64_t stride_z = args.layout.stride_z;
    const Real* u = args.u + args.layout.index(lane.p.x, lane.p.y, lane.p.z);
    const bool fetches = lane.reach_x > R && lane.reach_y > 0;

    Column column;
    if (fetches) {
#pragma unroll
      for (int m = -R; m < R; ++m) column.at(0, m + 1) = u[m * stride_z];  // as before the first push
    }
    for (int z = box.begin.z; z < box.end.z; ++z, u += stride_z) {
      if (fetches) {
        column.push(0, u[R * stride_z]);
        fill(shared, lane, column.at(0, 0), u, args.layout.stride_y);
      }
      block.sync();
      if (lane.computes()) {
        update_point<Update>(args, {lane.p.x, lane.p.y, z}, Star{u, shared, column, lane.t});
      }
      block.sync();
    }
  }
};

}  // namespace minimod
