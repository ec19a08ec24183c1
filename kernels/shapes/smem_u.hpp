/// Family `smem_u`: 3-D blocks, one thread a point; the tile of u and its halo of R on six sides in shared
/// memory. Each thread fetches its own point; along each axis threads 0 … R−1 fetch the halo on one side,
/// threads R … 2R−1 that on the other, which an axis of 2R threads balances. A point costs one load of u and
/// its share of the halo (3 more at 8x8x8), 6R + 1 shared reads and one barrier; (Dx+2R)(Dy+2R)(Dz+2R) values
/// of shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.2.
#pragma once

#include "kernels/shapes/xyz_tile.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update, int Dx, int Dy, int Dz>
struct SmemU : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static_assert(Dx >= 2 * R && Dy >= 2 * R && Dz >= 2 * R, "2R threads of each axis fetch both halos");

  static constexpr const char* family = "smem_u";
  static constexpr const char* summary = "3-D blocks, u with its halo in shared memory";
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{8, 8, 8};
  static constexpr Extent3 threads = tile;
  using Tile = XyzTile<Real, Dx, Dy, Dz, R>;
  struct Shared {
    Tile u;
  };

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  /// Where along an axis of D points thread t fetches its halo point; t < 2R.
  static MINIMOD_HD constexpr int halo_offset(int t, int D) { return t < R ? t - R : D + t - R; }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Index3 t = block.thread();
    const Index3 first = tile_point(args.box.begin, tile, block.index(), {});
    const auto fetch = [&](Index3 offset) { shared.u.fetch(offset, args.u, args.layout, args.box, first); };
    fetch(t);
    if (t.x < 2 * R) fetch({halo_offset(t.x, Dx), t.y, t.z});
    if (t.y < 2 * R) fetch({t.x, halo_offset(t.y, Dy), t.z});
    if (t.z < 2 * R) fetch({t.x, t.y, halo_offset(t.z, Dz)});
    block.sync();

    const Index3 p{first.x + t.x, first.y + t.y, first.z + t.z};
    if (args.box.contains(p)) {
      update_point<Update>(args, p, MemoryStar<Real>{&shared.u.at(t), Tile::pitch_y, Tile::pitch_z});
    }
  }
};

}  // namespace minimod
