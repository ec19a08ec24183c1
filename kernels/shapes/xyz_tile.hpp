/// A 3-D tile of an array and its halo in shared memory, as the 3-D shapes stage it.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

/// Dx x Dy x Dz points and a halo on six sides of Halo::reach.
template <class Value, int Dx, int Dy, int Dz, class Halo>
struct XyzTile {
  static constexpr Reach reach = Halo::reach;
  static constexpr int pitch_y = Dx - 1 + depth_x(reach), pitch_z = pitch_y * (Dy - 1 + depth_y(reach));
  Value value[pitch_z * (Dz - 1 + depth_z(reach))];

  /// The value at an offset from the tile's first point, −lower … D + upper − 1 along each axis.
  [[nodiscard]] MINIMOD_HD Value& at(int x, int y, int z) {
    return value[(z + reach.lower.z) * pitch_z + (y + reach.lower.y) * pitch_y + x + reach.lower.x];
  }

  /// Brings the value at offset t from `field` by `memory`, unless it is beyond what points of the box need:
  /// there the array may end. (The field by a pointer: by a function of the point, GPUs' compilers order the
  /// loads otherwise, which cost smem_u 7 % of its rate on an H100.)
  template <class Memory, class Layout>
  MINIMOD_HD void fetch(Index3 t, const Memory& memory, const Value* field, const Layout& layout,
                        Index3 first) {
    const Box3& box = memory.args.box;
    const Index3 p{first.x + t.x, first.y + t.y, first.z + t.z};
    if (p.x < box.end.x + reach.upper.x && p.y < box.end.y + reach.upper.y &&
        p.z < box.end.z + reach.upper.z) {
      at(t.x, t.y, t.z) = memory.value_in(field, layout.index(p.x, p.y, p.z));
    }
  }

  /// Whether a block with a thread a point has enough of them along each axis for the halos of both sides.
  static constexpr bool has_threads_for_sides =
      Dx >= depth_x(reach) - 1 && Dy >= depth_y(reach) - 1 && Dz >= depth_z(reach) - 1;

  /// Brings the tile and its six sides without their edges and corners: thread t its own point; along each
  /// axis the first threads those of the halo on the lower side, the next ones those on the upper side.
  template <class Fetch>
  static MINIMOD_HD void fetch_star(Index3 t, const Fetch& fetch) {
    const auto beside = [](int i, int lower, int n) { return i < lower ? i - lower : n + i - lower; };
    fetch(t);
    if (t.x < depth_x(reach) - 1) fetch({beside(t.x, reach.lower.x, Dx), t.y, t.z});
    if (t.y < depth_y(reach) - 1) fetch({t.x, beside(t.y, reach.lower.y, Dy), t.z});
    if (t.z < depth_z(reach) - 1) fetch({t.x, t.y, beside(t.z, reach.lower.z, Dz)});
  }

  /// Brings all of it, edges and corners, too; the threads take value after value.
  template <class Memory, class Layout>
  MINIMOD_HD void fetch_all(Index3 t, const Memory& memory, const Value* field, const Layout& layout,
                            Index3 first) {
    constexpr int nx = pitch_y, ny = pitch_z / pitch_y, nz = Dz - 1 + depth_z(reach);
    const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z - reach.lower.z};
    const Index3 end = memory.args.box.end;
    const Extent3 there{end.x + reach.upper.x - from.x, end.y + reach.upper.y - from.y,
                        end.z + reach.upper.z - from.z};
#pragma unroll 4
    for (int i = t.x + Dx * (t.y + Dy * t.z); i < nx * ny * nz; i += Dx * Dy * Dz) {
      const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
      if (x < there.x && y < there.y && z < there.z) {
        value[i] = memory.value_in(field, layout.index(from.x + x, from.y + y, from.z + z));
      }
    }
  }
};

}  // namespace minimod
