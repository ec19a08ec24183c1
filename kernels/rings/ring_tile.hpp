/// Tiles of `tma_ring`: how its threads share them, and what of them stands in shared memory.
#pragma once

#include "kernels/device/tile_plane.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// Threads along x and y, rows of a thread, fields beside u, stages of the ring of u and of that of the
/// fields; type and radius of the stencil; what stands for (V Δt)² in memory: reals, or std::uint16_t for
/// codes of floats.
template <int TX, int TY, int Rows, int Fields, int StagesU, int StagesFields, class RealType = float,
          int Radius = stencil_radius, class VelocityType = RealType>
struct RingTile {
  using Real = RealType;
  using Velocity = VelocityType;
  static constexpr int R = Radius, rows = Rows, V = reals_of_vector<Real>;
  static constexpr int beside = ceil_div(R, V);  ///< vectors of the halo along x, on either side
  static constexpr int stages_u = StagesU, stages_fields = StagesFields, fields = Fields;
  static constexpr int width = V * TX, height = TY * Rows;
  static constexpr int threads_x = TX;
  static constexpr int consumers = TX * TY, producers = 128;  ///< threads; registers move by 128 threads
  static constexpr int threads = consumers + producers;

  using PlaneOfU = PlaneOfTile<TX + 2 * beside, height + 2 * R, Real>;
  struct alignas(128) PlaneOfFields {
    Vector<Real, V> field[Fields - 1][height][TX];  ///< u⁻ and, in the PML, φ
    Vector<Velocity, V> v2dt2[height][TX];
  };
  struct Shared {
    PlaneOfU u[StagesU];
    PlaneOfFields fields[StagesFields];
  };
};

/// Tile of the inner update of a stencil. A row of a thread keeps 2 R vectors in its registers: the rows are
/// as many as fit, and the tile, then less high, is less wide too, for the halo's sake.
template <class Real, int R>
using StencilTile = RingTile<(R <= 4 ? 32 : 16), (R <= 4 ? 8 : 16),
                             (R <= 4   ? 4
                              : R <= 6 ? 3
                                       : 2),
                             2, 3, 3, Real, R>;

/// Tile of the PML's slabs, where a row keeps 3 R vectors: beyond order 8 a thread has one row, and the tile
/// is 32 points wide, which the slabs across x fill.
template <class Real, int R>
using StencilPmlTile = RingTile<(R <= 4 ? 32 : 32 / reals_of_vector<Real>),
                                (R <= 4 ? 8 : 8 * reals_of_vector<Real>), (R <= 4 ? 2 : 1), 3, 4, 3, Real, R>;
using PmlTile = StencilPmlTile<float, stencil_radius>;

}  // namespace minimod
