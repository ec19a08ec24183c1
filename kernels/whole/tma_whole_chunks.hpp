/// `tma_whole` and `tma_whole_step` on fields in chunks: what they compute and how is that of tma_whole.hpp
/// and tma_whole_step.hpp, to the same bits; how planes come is that of chunk_pipeline.hpp.
#pragma once

#include "kernels/whole/chunk_pipeline.hpp"
#include "kernels/whole/tma_whole.hpp"
#include "kernels/whole/tma_whole_step.hpp"

namespace minimod {

/// A plane of a tile in shared memory with the rows above and below, and beside it the vectors left and
/// right.
template <int Vectors, int Rows, int Radius>
struct alignas(128) PlaneOfChunks {
  Vector4<float> value[Rows + 2 * Radius][Vectors];
  Vector4<float> beside[2][Rows];
};

template <int Radius>
struct TmaWholeChunksOf : TmaWholeOf<Radius> {
  using Whole = TmaWholeOf<Radius>;
  template <int Other>
  using WithRadius = TmaWholeChunksOf<Other>;
  static constexpr bool in_chunks = true;
  static constexpr int stages_v = Whole::stages_v - 1, stages_centre = Whole::stages_centre - 1;
  /// Who arrive when a plane of u is brought: each lane, and who tells the bytes.
  static constexpr int filling_u = 32 + 1;
  /// A warp arrives once for the centre, too.
  static constexpr int filling_centre = Whole::group / 32, emptying_centre = Whole::group / 32 + 1;
  static_assert(Whole::width == ChunkLayout::width && Whole::height % ChunkLayout::height == 0);
  /// Rows of a warp, which lies in one chunk: rounds begin multiples of these apart.
  static constexpr int rows_of_warp = 32 / Whole::threads_x * Whole::rows;
  static_assert(ChunkLayout::height % rows_of_warp == 0);

  using Halo = PlaneOfChunks<Whole::threads_x, Whole::height, Radius>;
  using typename Whole::Tile;
  struct Shared {
    Halo u[2][Whole::stages_u];
    Tile before[Whole::stages_before];
    Tile v2dt2[stages_v];
    Tile centre[stages_centre];
    Tile inverse_2eta, minus_loss;  ///< 1 / (1 + 2η), and the loss of φ, in y slabs
    ChunkPart parts[2][32], parts_of_tile[4];
  };
};
using TmaWholeChunks = TmaWholeChunksOf<stencil_radius>;

/// The tile of one step that has whole chunks.
template <int Radius>
using TmaWholeStepSquare = TmaWholeStep<16, 16, 4, 3, 3, Radius>;

template <int Radius>
struct TmaWholeStepChunksOf : TmaWholeStepSquare<Radius> {
  using Whole = TmaWholeStepSquare<Radius>;
  template <int Other>
  using WithRadius = TmaWholeStepChunksOf<Other>;
  static constexpr bool in_chunks = true;
  /// Who arrive when a plane of u is brought: for each row what is beside it, and who tells the bytes.
  static constexpr int filling_u = Whole::height + 1;
  static_assert(Whole::width == ChunkLayout::width && Whole::height == 64, "a lane has two rows");
  static constexpr int rows_of_warp = 32 / Whole::threads_x * Whole::rows;  ///< in one chunk
  static_assert(ChunkLayout::height % rows_of_warp == 0);

  using Halo = PlaneOfChunks<Whole::threads_x, Whole::height, Radius>;
  using typename Whole::Tile;
  struct Shared {
    Halo u[1][Whole::stages_u];
    Tile before[Whole::stages_before];
    Tile v2dt2[Whole::stages_v];
    Tile inverse_2eta, minus_loss;  ///< 1 / (1 + 2η), and the loss of φ, in y slabs
    ChunkPart parts[2][32], parts_of_tile[4];
  };
};

}  // namespace minimod
