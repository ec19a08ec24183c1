/// A 3-D tile of a field and its halo in shared memory, as the 3-D shapes stage it.
#pragma once

#include "kernels/shape.hpp"

namespace minimod {

/// Dx x Dy x Dz points and a halo of H on six sides; edges and corners are never filled.
template <class Real, int Dx, int Dy, int Dz, int H>
struct XyzTile {
  static constexpr int pitch_y = Dx + 2 * H;
  static constexpr int pitch_z = pitch_y * (Dy + 2 * H);
  Real value[pitch_z * (Dz + 2 * H)];

  /// The value at offset t from the tile's first point, −H … D + H − 1 along each axis.
  [[nodiscard]] MINIMOD_HD Real& at(Index3 t) {
    return value[(t.z + H) * pitch_z + (t.y + H) * pitch_y + t.x + H];
  }

  /// Brings the value at offset t, unless it is further than H from the box's end: there the field may end,
  /// and no point of the box needs it.
  MINIMOD_HD void fetch(Index3 t, const Real* field, const Layout& layout, const Box3& box, Index3 first) {
    const Index3 p{first.x + t.x, first.y + t.y, first.z + t.z};
    if (p.x < box.end.x + H && p.y < box.end.y + H && p.z < box.end.z + H) {
      at(t) = field[layout.index(p.x, p.y, p.z)];
    }
  }
};

}  // namespace minimod
