/// Family `st_smem`: 2.5-D streaming along z, all of it in shared memory. A 2-D block marches down the box;
/// the planes from R above the centre to R below, each with its halo, are staged in 2R+1 shared planes. The
/// loop is unrolled 2R+1 times: which plane takes the next one is known at compile time, and nothing moves.
/// A point costs one load of u, its share of the halo, 6R+1 shared reads and one barrier;
/// (2R+1)(Dx+2R)(Dy+2R) values of shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS
/// 2020), section IV.5.
///
/// Family `coarsened`: the same on slices of Dz planes, a block for each: more blocks, which pays where a box
/// has few tiles, for 2R planes more to load at the head of each slice. Thread coarsening with slicing, as
/// the tutorials on 7-point stencils show it with three planes; with R = 4 it takes nine.
#pragma once

#include "kernels/shapes/xy_plane.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// The body of both; Dz = 0: a block marches down the whole box.
template <class Update, int Dx, int Dy, int Dz>
struct SharedPlanes : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static constexpr int period = 2 * R + 1;
  using Plane = XyPlane<Real, Dx, Dy, R>;

  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 threads{Dx, Dy, 1};
  /// 40 registers a thread, 48 in the PML: the compiler would take more and lose threads.
  static constexpr int blocks_per_multiprocessor = (Update::damps ? 1280 : 1536) / (Dx * Dy);
  struct Shared {
    Plane plane[period];  ///< plane z + m stands in plane[(z - begin.z + m) mod (2R + 1)]
    [[nodiscard]] MINIMOD_HD Plane& at(int phase, int m) { return plane[(phase + m + period) % period]; }
  };

  static constexpr bool marches_slices = Dz > 0;
  /// All from shared memory, z too.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters&, int radius) {
    return 6.0 * radius + 1;
  }
  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    return plane_with_star(of.tile, radius);
  }

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  /// Reads all from the shared planes.
  struct Star {
    Shared& shared;
    int phase, i, j;
    MINIMOD_HD Real x(int m) const { return shared.at(phase, 0).value[j][i + m]; }
    MINIMOD_HD Real y(int m) const { return shared.at(phase, 0).value[j + m][i]; }
    MINIMOD_HD Real z(int m) const { return shared.at(phase, m).value[j][i]; }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const auto lane = Lane<Dx, Dy, R>::of(block, box, Dz);
    const std::int64_t stride_y = args.layout.stride_y, stride_z = args.layout.stride_z;
    const int begin = lane.p.z, end = Dz > 0 && begin + Dz < box.end.z ? begin + Dz : box.end.z;
    const Real* u = args.u + args.layout.index(lane.p.x, lane.p.y, begin);

    for (int m = -R; m < R; ++m) {
      shared.at(0, m).fill(lane, u + m * stride_z, stride_y, Plane::plain_copy);
    }
    march<period>(begin, end, [&](int z, int phase) {
      shared.at(phase, R).fill(lane, u + R * stride_z, stride_y, Plane::plain_copy);
      block.sync();
      if (lane.computes()) {
        update_point<Update>(args, {lane.p.x, lane.p.y, z}, Star{shared, phase, lane.t.x + R, lane.t.y + R});
      }
      // No barrier here: the plane to be overwritten is R above the centre, and of that a thread reads its
      // own column alone.
      u += stride_z;
    });
  }
};

template <class Update, int Dx, int Dy>
struct StSmem : SharedPlanes<Update, Dx, Dy, 0> {
  static constexpr const char* family = "st_smem";
  static constexpr const char* summary = "2.5-D streaming, 2R+1 planes in shared memory";
  static constexpr Extent3 default_tile{16, 16, 0};  // fastest of the family on a V100 (Table II)
};

template <class Update, int Dx, int Dy, int Dz>
struct Coarsened : SharedPlanes<Update, Dx, Dy, Dz> {
  static constexpr const char* family = "coarsened";
  static constexpr const char* summary = "2.5-D streaming of z slices, 2R+1 planes in shared memory";
  static constexpr Extent3 default_tile{32, 8, 32};
};

}  // namespace minimod
