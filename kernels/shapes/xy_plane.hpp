/// The plane of u around a 2-D tile in shared memory, as the 2.5-D streaming shapes stage it.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// A tile of Dx x Dy points and its halo of R on four sides. The corners are never filled: no star reads
/// them.
template <class Real, int Dx, int Dy, int R>
struct XyPlane {
  Real value[Dy + 2 * R][Dx + 2 * R];

  /// Thread t brings its own point (`centre`, which `from` points to), and the first R threads of each axis
  /// the halo points R before the tile and Dx (or Dy) behind. `reach_x`, `reach_y`: how far the points that
  /// anyone needs go on from t's own, so that a tile cut by the box's end reads nothing outside the field.
  MINIMOD_HD void stage(Index3 t, Real centre, const Real* from, std::int64_t stride_y, int reach_x,
                        int reach_y) {
    static_assert(Dx >= R && Dy >= R, "the first R threads of each axis fetch both halos");
    if (reach_x <= 0 || reach_y <= 0) return;
    const int i = t.x + R, j = t.y + R;
    value[j][i] = centre;
    if (t.x < R) {
      value[j][i - R] = from[-R];
      if (Dx < reach_x) value[j][i + Dx] = from[Dx];
    }
    if (t.y < R) {
      value[j - R][i] = from[-R * stride_y];
      if (Dy < reach_y) value[j + Dy][i] = from[Dy * stride_y];
    }
  }
};

}  // namespace minimod
