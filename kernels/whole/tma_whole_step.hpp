/// Family `tma_whole_step`: one time step of the whole domain, PML included, in one launch, for the schedule
/// `whole-step`. The loop over planes, its forms and what becomes of φ are those of `tma_whole`
/// (tma_whole_pass.hpp), by 256 threads on one tile; rings of planes, throttle and prefetch those of
/// `tma_ring`.
///
/// No block needs what another one makes: rounds and chunks do not overlap, u⁺ goes where u⁻ was and φ⁺ where
/// φ was. A point costs 16 B of memory traffic, 24 B where the PML is. A single source enters the sums of its
/// points; warps that bring nothing keep u of the receivers.
///
/// Our own. Needs compute capability 9.0.
#pragma once

#include <type_traits>

#include "kernels/device/tile_plane.hpp"
#include "kernels/shape.hpp"
#include "kernels/type_list.hpp"

namespace minimod {

/// Threads along x and y, rows of a thread; stages of the rings of u, and of u⁻ and (V Δt)².
template <int TX, int TY, int Rows, int StagesU, int StagesFields, int Radius = stencil_radius>
struct TmaWholeStep : ShapeDefaults {
  /// Beyond the order of the built-in shapes a thread has as many rows as its registers have room for, and
  /// the tile is less wide, for the halo's sake.
  template <int Other>
  using WithRadius =
      std::conditional_t<(Other <= stencil_radius), TmaWholeStep<TX, TY, Rows, StagesU, StagesFields, Other>,
                         TmaWholeStep<16, 16, (Other <= 6 ? 3 : 2), 3, 3, Other>>;
  static constexpr const char* family = "tma_whole_step";
  static constexpr const char* summary = "one step of the whole domain, PML included, in one launch";
  static constexpr const char* sums = "";  ///< the tile decides when φ meets its part along z
  static constexpr ExtraWork extra_work{4, "as tma_ring"};
  static constexpr int R = Radius, rows = Rows, steps = 1;
  static constexpr Fetch fetch = Fetch::sectors;
  static constexpr int stages_u = StagesU, stages_before = StagesFields, stages_v = StagesFields;
  static constexpr int width = 4 * TX, height = TY * Rows;
  static constexpr int threads_x = TX, threads_y = TY;
  /// Threads that compute, in groups of four warps, by which registers are handed over.
  static constexpr int group = round_up(TX * TY, 128);
  static constexpr Extent3 tile{width, height, 0};
  static constexpr Extent3 default_tile{128, 32, 0};
  static constexpr int greatest_radius = tile == default_tile ? most_radius : stencil_radius;
  static constexpr Extent3 threads{group + 128, 1, 1};

  using Halo = PlaneWithHalo<TX, height, R>;
  using Tile = PlaneOfTile<TX, height>;
  struct Shared {
    Halo u[1][StagesU];
    Tile before[StagesFields];  ///< u⁻
    Tile v2dt2[StagesFields];
  };
};

/// The tile that fills a grid best is fastest there: all blocks are at work at once.
using TmaWholeStepList =
    TypeList<TmaWholeStep<32, 8, 4, 3, 3>, TmaWholeStep<16, 16, 4, 3, 3>, TmaWholeStep<50, 5, 4, 3, 3>>;

}  // namespace minimod
