/// Family `st_reg_fixed`: 2.5-D streaming along z. A 2-D block marches down the box; the current plane with
/// its halo is staged in shared memory, and each thread holds its z column in 2R+1 registers that stay in
/// place: the loop is unrolled 2R+1 times, and the register of a plane is known at compile time. A point
/// costs one load of u, its share of the halo, and 4R shared reads; (Dx+2R)(Dy+2R) values of shared memory.
/// Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.7.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/shapes/xy_plane.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy>
struct StRegFixed {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static constexpr int column_size = 2 * R + 1;

  static constexpr const char* family = "st_reg_fixed";
  static constexpr const char* summary =
      "2.5-D streaming, one plane in shared memory, z column in fixed registers";
  static constexpr Extent3 tile{Dx, Dy, 0};
  static constexpr Extent3 default_tile{32, 32, 0};  // fastest of the family on a V100 (Table II)
  static constexpr Extent3 threads{Dx, Dy, 1};
  struct Shared {
    XyPlane<Real, Dx, Dy, R> plane;
  };

  static MINIMOD_HD Extent3 blocks(const Box3& box) {
    return blocks_covering(box.extent(), {Dx, Dy, box.extent().z});
  }

  /// Reads x and y from the shared plane, z from the registers; `phase` is the register of the centre.
  struct Star {
    const Shared& shared;
    const Real (&column)[column_size];
    int phase, i, j;
    MINIMOD_HD Real x(int m) const { return m == 0 ? z(0) : shared.plane.value[j][i + m]; }
    MINIMOD_HD Real y(int m) const { return shared.plane.value[j + m][i]; }
    MINIMOD_HD Real z(int m) const { return column[(phase + m + column_size) % column_size]; }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const Index3 t = block.thread();
    const Index3 p = tile_point(box.begin, {Dx, Dy, 0}, block.index(), t);
    const int reach_x = box.end.x + R - p.x, reach_y = box.end.y + R - p.y;
    const bool fetches = reach_x > 0 && reach_y > 0;
    const std::int64_t stride_z = args.layout.stride_z;
    const Real* u = args.u + args.layout.index(p.x, p.y, p.z);

    Real column[column_size] = {};  // plane z + m stands in column[(z - begin.z + m) mod (2R + 1)]
    if (fetches) {
#pragma unroll
      for (int m = -R; m < R; ++m) column[(m + column_size) % column_size] = u[m * stride_z];
    }

    for (int first = box.begin.z; first < box.end.z; first += column_size) {
#pragma unroll
      for (int phase = 0; phase < column_size; ++phase) {
        const int z = first + phase;
        if (z >= box.end.z) break;
        if (fetches) column[(phase + R) % column_size] = u[R * stride_z];
        shared.plane.stage(t, column[phase], u, args.layout.stride_y, reach_x, reach_y);
        block.sync();
        if (reach_x > R && reach_y > R) {
          update_point<Update>(args, {p.x, p.y, z}, Star{shared, column, phase, t.x + R, t.y + R});
        }
        block.sync();
        u += stride_z;
      }
    }
  }
};

}  // namespace minimod
