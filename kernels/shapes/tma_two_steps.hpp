/// Family `tma_two_steps`: two time steps of the inner box in one pass over memory, which lets a stencil of
/// radius 4 with a velocity array run past the limit of one step: 20 B a point and pass, 10 B a point and
/// update. u, u⁻ and (V Δt)² are read once and u⁺ and u⁺⁺ written, into buffers of their own, as neighbours
/// still read u.
///
/// A block owns a column of 64x32 points and marches along z. 128 threads do the first step as `tma_ring`
/// does, and store u⁺ in memory; another 128 do the second some planes behind, with the same instructions on
/// other rings. What u⁺ the second step needs from the neighbours comes back through the L2: a warp of the
/// block watches the progress that neighbours announce, then has the copy engine bring the plane of u⁺ with
/// its halo. u in the tile and (V Δt)² stay in shared memory until the second step has used them too. Two
/// warps announce this block's progress. (kernels/round_walk.hpp: which blocks are at work at once.)
///
/// A block that waits for others needs them on the GPU: the launch is cooperative, which the driver refuses
/// where they do not fit, and a wait that lasts for seconds is given up and reported through
/// StencilArgs::status. No register may spill: the fences that order u⁺ in memory empty the L1.
///
/// Inner update only; a single step and the PML run as `tma_ring` does them. Our own. Needs compute
/// capability 9.0.
#pragma once

#include <array>

#include "kernels/code_shape.hpp"
#include "kernels/shape.hpp"
#include "kernels/shape_list.hpp"
#include "kernels/tile_maps.hpp"

namespace minimod {

/// Threads along x and y of each of the two groups, rows of a thread; stages of the rings of u and u⁺, u⁻,
/// (V Δt)², and u without its halo.
template <int TX, int TY, int Rows, int StagesU, int StagesBefore, int StagesV, int StagesCentre>
struct TmaTwoSteps : ShapeDefaults {
  static constexpr const char* family = "tma_two_steps";
  static constexpr const char* summary =
      "two steps in one pass: streaming in-plane, u at t+1 shared through the L2";
  static constexpr const char* sums = "tma_two_steps";
  static constexpr ExtraWork extra_work{
      4, "as tma_ring; the first step also of the rows in which strips overlap"};
  static constexpr int R = stencil_radius, rows = Rows, steps = 2;
  static constexpr Fetch fetch = Fetch::lines;
  static constexpr int stages_u = StagesU, stages_before = StagesBefore;
  static constexpr int stages_v = StagesV, stages_centre = StagesCentre;
  static constexpr int width = 4 * TX, height = TY * Rows;
  static constexpr int threads_x = TX;
  static constexpr int group = TX * TY;  ///< threads of a step
  /// Who arrive before a stage of the centre is used again: the second step's threads, and who announces it.
  static constexpr int emptying_centre = group + 1;
  static constexpr Extent3 tile{width, height, 0};
  static constexpr Extent3 default_tile{64, 32, 0};
  static constexpr Extent3 threads{2 * group + 128, 1, 1};

  struct alignas(128) Halo {
    Vector4<float> value[height + 2 * R][TX + 2];
  };
  struct alignas(128) Tile {
    Vector4<float> value[height][TX];
  };
  /// [0]: for the first step, [1]: for the second.
  struct Shared {
    Halo u[2][StagesU];
    Tile before[StagesBefore];  ///< u⁻
    Tile v2dt2[StagesV];
    Tile centre[StagesCentre];  ///< u, which is u⁻ to the second step
  };
};

using TmaTwoStepsList = TypeList<TmaTwoSteps<16, 8, 4, 2, 2, 11, 9>>;

/// In the order of the list; all empty in a build without code for sm_90a.
[[nodiscard]] std::array<Launches, TmaTwoStepsList::size> tma_two_steps_launches();

}  // namespace minimod
