/// The body of the families `st_reg_*`: 2.5-D streaming along z. The plane of the centre with its halo is
/// staged in shared memory, each thread's z column in registers. `Column` (z_column.hpp) says how the column
/// moves on, `Planes` (xy_plane.hpp) how a plane gets into shared memory. The headers of the families tell
/// what a point costs.
#pragma once

#include "kernels/shapes/xy_plane.hpp"
#include "kernels/shapes/z_column.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy, template <class, int> class ColumnOf,
          template <class, int, int, int> class PlanesOf>
struct StReg : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  using Column = ColumnOf<Real, R>;
  using Shared = PlanesOf<Real, Dx, Dy, R>;

  static constexpr Extent3 tile{Dx, Dy, 0};
  static constexpr Extent3 threads{Dx, Dy, 1};

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  /// Reads x and y from the shared plane, z from the column.
  struct Star {
    const XyPlane<Real, Dx, Dy, R>& plane;
    Column& column;
    int phase, i, j;
    MINIMOD_HD Real x(int m) const { return m == 0 ? z(0) : plane.value[j][i + m]; }
    MINIMOD_HD Real y(int m) const { return plane.value[j + m][i]; }
    MINIMOD_HD Real z(int m) const { return column.at(phase, m); }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const auto lane = Lane<Dx, Dy, R>::of(block, box);
    const std::int64_t stride_z = args.layout.stride_z;
    const Real* u = args.u + args.layout.index(lane.p.x, lane.p.y, lane.p.z);

    Column column;
    if (lane.fetches()) {
#pragma unroll
      for (int m = -R; m < R; ++m) column.at(-1, m + 1) = u[m * stride_z];  // as before the first push
    }
    shared.begin(block, lane, u, args.layout);

    march<Column::period>(box.begin.z, box.end.z, [&](int z, int phase) {
      if (lane.fetches()) column.push(phase, u[R * stride_z]);
      const Step step{z - box.begin.z, z + 1 == box.end.z};
      const auto& plane = shared.bring(block, lane, column.at(phase, 0), u, args.layout, step);
      if (lane.computes()) {
        const Index3 p{lane.p.x, lane.p.y, z};
        update_point<Update>(args, p, Star{plane, column, phase, lane.t.x + R, lane.t.y + R});
      }
      shared.release(block);
      u += stride_z;
    });
  }
};

}  // namespace minimod
