/// Family `tma_whole`: two time steps of the whole domain, PML included, in one launch, for the schedule
/// `whole`, which lets a stencil of radius 4 with a velocity array run past the limit of one step: 20 B a
/// point and pass, 10 B a point and update, in the inner box. u, u⁻ and (V Δt)² are read once and u⁺ and u⁺⁺
/// written, into buffers of their own, as neighbours still read u.
///
/// A block owns a column of 64x32 points and marches along z by the in-plane method, its planes brought as
/// `tma_ring` brings them. 128 threads do the first step and store u⁺ in memory; another 128 do the second
/// some planes behind, with the same instructions on other rings. What u⁺ the second step needs from the
/// neighbours comes back through the L2: a warp of the block watches the progress that neighbours announce,
/// then has the copy engine bring the plane of u⁺ with its halo. u in the tile and (V Δt)² stay in shared
/// memory until the second step has used them too. Two warps announce this block's progress.
/// (kernels/whole/two_steps_pipeline.hpp; kernels/whole/round_walk.hpp: which blocks are at work at once.)
///
/// A block that waits for others needs them on the GPU: the launch is cooperative, which the driver refuses
/// where they do not fit, and a wait that lasts for seconds is given up and reported through
/// BlockArgs::status. Nothing in the loops may spill: the fences that order u⁺ in memory empty the L1.
///
/// A tile runs one of four forms of the loop over planes: inner points alone; x slabs of the PML
/// (coefficients from a table, one product a point more); y slabs, x perhaps too; and the planes near the z
/// slabs, of any tile. What a thread carries from form to form is its queue of R planes; all else is made
/// anew, as a register that lived through all forms would be spilled by the one with the least room.
///
/// φ costs no register beyond the plane at hand. When plane z comes as the newest of the in-plane method, the
/// old φ(z), loaded before the wait for the plane, becomes a term of the sum ∇²u + φ that begins there, and
/// φ⁺ without its part along z is stored right away. Near the z slabs that part of φ⁺(z - 1), which needs
/// u(z), is added in the L2, where nothing waits for it. Tiles without x and y slabs meet φ(z - 1) as a whole
/// when plane z is there. φ at the next step goes from the first step's threads to the second's of the same
/// place through the L2; `phi` is read only, as points in which rounds overlap do the first step twice.
/// Rows of φ in the x slabs are stored in whole sectors of 32 B: one that is written in part is read first.
///
/// The loop is rolled: the queue moves on by a slot a plane. Multiprocessors seem to share a cache of
/// instructions, and four unrolled forms push each other out of it.
///
/// The outermost planes of a slab of a domain that is cut are ghosts, which its neighbour has, too. The
/// second step is not stored there, so that the neighbour's may come while the launch runs. Blocks count
/// themselves when they have stored what the neighbour above wants, which is early in each round.
///
/// The source is added to the sum of its points, in both steps. Their arithmetic is that of
/// kernels/update.hpp, but for the order of the sums and reciprocals of one rounding more. A single step and
/// launches of the inner box or the PML alone run as `tma_ring` does them. Our own. Needs compute
/// capability 9.0.
#pragma once

#include "kernels/device/tile_plane.hpp"
#include "kernels/shape.hpp"
#include "kernels/type_list.hpp"

namespace minimod {

/// Whether a shape's fields lie in chunks by sides of the L2.
template <class Shape>
inline constexpr bool lies_in_chunks = requires {
  Shape::in_chunks;
};

template <int Radius>
struct TmaWholeOf : ShapeDefaults {
  template <int Other>
  using WithRadius = TmaWholeOf<Other>;
  static constexpr int greatest_radius = stencil_radius;  ///< beyond, a thread's queue would spill
  static constexpr const char* family = "tma_whole";
  static constexpr const char* summary = "two steps of the whole domain, PML included, in one launch";
  static constexpr const char* sums = "tma_whole";
  static constexpr ExtraWork extra_work{
      4, "as tma_ring; the first step also of the points in which rounds overlap"};
  static constexpr int R = Radius, rows = 4, steps = 2;  ///< rows of a thread
  static constexpr Fetch fetch = Fetch::lines;
  static constexpr int stages_u = 2, stages_before = 2, stages_v = R + 7, stages_centre = R + 5;
  static constexpr int threads_x = 16, threads_y = 8;
  static constexpr int group = threads_x * threads_y;  ///< threads of a step
  static constexpr int width = 4 * threads_x, height = threads_y * rows;
  /// Who arrive when a stage of the centre is full, and before it is used again: the second step's threads,
  /// and who announces it.
  static constexpr int filling_centre = group, emptying_centre = group + 1;
  static constexpr Extent3 tile{width, height, 0};
  static constexpr Extent3 default_tile = tile;
  static constexpr Extent3 threads{2 * group + 128, 1, 1};

  using Halo = PlaneWithHalo<threads_x, height, R>;
  using Tile = PlaneOfTile<threads_x, height>;
  /// [0]: for the first step, [1]: for the second.
  struct Shared {
    Halo u[2][stages_u];
    Tile before[stages_before];  ///< u⁻
    Tile v2dt2[stages_v];
    Tile centre[stages_centre];  ///< u, which is u⁻ to the second step
  };
};
using TmaWhole = TmaWholeOf<stencil_radius>;

using TmaWholeList = TypeList<TmaWhole>;

}  // namespace minimod
