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

/// A shape whose fields lie in chunks, but for its shared memory.
template <class Rows>
struct InChunks : Rows {
  using Whole = Rows;  ///< the shape in rows
  static constexpr bool in_chunks = true;
  /// Who arrive when a plane of u is brought: for each row what is beside it, and who tells the bytes.
  static constexpr int filling_u = Rows::height + 1;
  static_assert(Rows::width == ChunkLayout::width && Rows::height % ChunkLayout::height == 0);
  static_assert(Rows::height == 32 || Rows::height == 64, "a lane brings what is beside one row or two");
  /// Rows of a warp, which lies in one chunk: rounds of two steps begin multiples of these apart.
  static constexpr int rows_of_warp = 32 / Rows::threads_x * Rows::rows;
  static_assert(ChunkLayout::height % rows_of_warp == 0);

  using Halo = PlaneOfChunks<Rows::threads_x, Rows::height, Rows::R>;
};

template <int Radius>
struct TmaWholeChunksOf : InChunks<TmaWholeOf<Radius>> {
  using typename InChunks<TmaWholeOf<Radius>>::Whole;
  using typename InChunks<TmaWholeOf<Radius>>::Halo;
  static constexpr int stages_v = Whole::stages_v - 1, stages_centre = Whole::stages_centre - 1;
  /// A warp arrives once for the centre, too.
  static constexpr int filling_centre = Whole::group / 32, emptying_centre = Whole::group / 32 + 1;

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

/// The tile of one step that has whole chunks.
template <int Radius>
using TmaWholeStepSquare = TmaWholeStep<16, 16, 4, 3, 3, Radius>;

template <int Radius>
struct TmaWholeStepChunksOf : InChunks<TmaWholeStepSquare<Radius>> {
  using typename InChunks<TmaWholeStepSquare<Radius>>::Whole;
  using typename InChunks<TmaWholeStepSquare<Radius>>::Halo;
  using typename Whole::Tile;
  struct Shared {
    Halo u[1][Whole::stages_u];
    Tile before[Whole::stages_before];
    Tile v2dt2[Whole::stages_v];
    Tile inverse_2eta, minus_loss;  ///< as of two steps
    ChunkPart parts[2][32], parts_of_tile[4];
  };
};

}  // namespace minimod
