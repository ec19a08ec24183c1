/// `tma_whole` on fields in chunks: what it computes and how is that of tma_whole.hpp, to the same bits; how
/// planes come is that of chunk_pipeline.hpp.
#pragma once

#include "kernels/whole/chunk_pipeline.hpp"
#include "kernels/whole/tma_whole.hpp"

namespace minimod {

/// A plane of a tile in shared memory with the rows above and below, and beside it the vectors left and
/// right.
template <int Vectors, int Rows>
struct alignas(128) PlaneOfChunks {
  Vector4<float> value[Rows + 2 * stencil_radius][Vectors];
  Vector4<float> beside[2][Rows];
};

struct TmaWholeChunks : TmaWhole {
  static constexpr bool in_chunks = true;
  static constexpr int stages_v = 10, stages_centre = 8;
  /// Who arrive when a plane of u is brought: each lane, and who tells the bytes.
  static constexpr int filling_u = 32 + 1;
  /// A warp arrives once for the centre, too.
  static constexpr int filling_centre = group / 32, emptying_centre = group / 32 + 1;
  static_assert(width == ChunkLayout::width && height % ChunkLayout::height == 0);

  using Halo = PlaneOfChunks<threads_x, height>;
  struct Shared {
    Halo u[2][stages_u];
    Tile before[stages_before];
    Tile v2dt2[stages_v];
    Tile centre[stages_centre];
    Tile inverse_2eta, minus_loss;  ///< 1 / (1 + 2η), and the loss of φ, in y slabs
    ChunkPart parts[2][32], parts_of_tile[4];
  };
};

}  // namespace minimod
