/// Family `tma_ring`: 2.5-D streaming in which the loads are not the threads' work. One thread has Hopper's
/// copy engine bring planes into two rings in shared memory: u with its halo, and four planes later u⁻ and
/// (V Δt)². 256 threads use them by the in-plane method on vectors (kernels/device/vector_queue.hpp), four
/// rows of four points each, and never meet at a block barrier: each stage of a ring has its own two barriers
/// (kernels/device/tma.cuh). A block stays on its multiprocessor and walks over tiles
/// (kernels/tiles/tile_walk.hpp); a throttle holds all blocks within a plane of each other, so that the halo
/// that neighbours share is read from memory once (kernels/whole/throttle.hpp), and the next plane is on its
/// way into the L2 beforehand.
///
/// A point costs 16 B of memory traffic and 0.03 B for the halo that does leave the L2; 2R registers, 4 + 4 R
/// / 16 vector reads of shared memory for 4 points; no barrier for the whole block. In the PML
/// a point keeps 5 R + 1 registers, a thread works on two rows, and the slabs across z march along y; the
/// slabs across x, narrower than a tile, run as `st_window`.
///
/// `tma_ring_v16` is the same with (V Δt)² as 16-bit codes (kernels/coded_velocity.hpp) in the inner box, 14
/// B a point. It computes in another medium than the other shapes, by an error that a run states, and is
/// taken by its name only.
///
/// Layers of a CPML across x are made within the inner update (ring_layers.hpp), where they have at most 10
/// points and tiles of 128 x 32 points have room for them.
///
/// With a stencil of another radius, and in double, tiles are others (StencilTile, StencilPmlTile), and the
/// kernels are compiled when they are asked for.
///
/// Our own. Needs a GPU of compute capability 9.0 (copy engine, and registers that move from warps that load
/// to warps that compute).
#pragma once

#include <array>

#include "kernels/code_shape.hpp"
#include "kernels/rings/ring_tile.hpp"
#include "kernels/shape.hpp"
#include "kernels/shape_list.hpp"

namespace minimod {

inline constexpr const char* ring_family = "tma_ring";

template <class TileType>
struct RingShape : ShapeDefaults {
  using Tile = TileType;
  static constexpr const char* sums = "tma";
  static constexpr Extent3 tile{Tile::width, Tile::height, 0};
  static constexpr Extent3 default_tile{128, 32, 0};
  static constexpr Extent3 threads{Tile::threads, 1, 1};
  using Shared = typename Tile::Shared;
};

/// A shape of the family: the tile of the inner update. The PML has tiles of its own, for its slabs.
template <int TX, int TY, int Rows, int StagesU, int StagesFields>
struct TmaRing : RingShape<RingTile<TX, TY, Rows, 2, StagesU, StagesFields>> {
  static constexpr const char* family = ring_family;
  static constexpr const char* summary =
      "streaming in-plane; the copy engine fills rings of planes, all blocks in step";
  static constexpr ExtraWork extra_work{4,
                                        "in-plane: 8 multiply-adds along z instead of 4 and 4 additions; "
                                        "points of a tile beyond the box; the PML's terms of eta are kept"};
};

/// The same with (V Δt)² in 16 bits.
template <int TX, int TY, int Rows, int StagesU, int StagesFields>
struct TmaRingV16
    : RingShape<RingTile<TX, TY, Rows, 2, StagesU, StagesFields, float, stencil_radius, std::uint16_t>> {
  static constexpr const char* family = "tma_ring_v16";
  static constexpr const char* summary =
      "tma_ring with (V dt)^2 in 16 bits, for an error that the run states";
  static constexpr bool needs_v16 = true;
  static constexpr ExtraWork extra_work{
      6, "as tma_ring, and a multiply-add that decodes (V dt)^2 in the inner box"};
};

/// A slab across x fills so little of a wide tile that a shape with smaller ones is faster there: the
/// registry plans that one.
[[nodiscard]] inline bool is_narrow_slab(const Box3& box, int tile_width = PmlTile::width) {
  return box.extent().x <= tile_width / 2;
}
inline constexpr const char* narrow_slab_shape = "st_window_32x32x64";
/// Candidates for other stencils, whose planes may take more shared memory: the first that fits.
inline constexpr std::array narrow_slab_shapes{narrow_slab_shape, "st_window_32x16x64", "st_window_16x16x64"};

using TmaRingList = TypeList<TmaRing<32, 8, 4, 3, 3>, TmaRing<16, 16, 4, 3, 3>, TmaRingV16<32, 8, 4, 3, 3>>;

/// In the order of the list; all empty in a build without code for sm_90a.
[[nodiscard]] std::array<LaunchPlanners, TmaRingList::size> tma_ring_planners();

/// Planners of another stencil; its kernels are compiled when they are planned first. Empty in such a build.
[[nodiscard]] LaunchPlanners tma_ring_planners(int radius, Precision precision);

}  // namespace minimod
