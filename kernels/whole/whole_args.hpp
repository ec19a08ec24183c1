/// Arguments of a launch of `tma_whole` or `tma_whole_step`: `Shape` is one of these, `Block` is
/// HopperBlock or, on the host, EmulatedBlock.
#pragma once

#include <type_traits>

#include "kernels/whole/chunk_pipeline.hpp"
#include "kernels/whole/planes_near_slabs.hpp"
#include "kernels/whole/tma_whole.hpp"

namespace minimod {

/// Planes near the z slabs whose η a block can keep.
inline constexpr int most_damped_planes = 360;

/// The march of a block's chunk in a round, of a stencil of that radius.
template <int R>
MINIMOD_HD inline March march_of(const RoundWalk& walk, const Round& round, int chunk) {
  return {walk.planes_begin(round, chunk, 0), walk.planes_begin(round, chunk, 1),
          walk.planes_end(round, chunk, 1), round.planes + 2 * R};
}

/// Arguments that the blocks of a shape go by.
template <class Shape, class Block>
struct PassArgsOfShape {
  using Type =
      std::conditional_t<Shape::steps == 2, TwoStepsArgs<Block, Shape::R>, PassArgs<Block, Shape::R>>;
};
template <class Shape, class Block>
requires lies_in_chunks<Shape>
struct PassArgsOfShape<Shape, Block> {
  using Type = ChunkArgs<Block, Shape::R>;
};

/// All that a launch gets.
template <class Shape, class Block>
struct WholeArgs {
  static constexpr int R = Shape::R;
  typename PassArgsOfShape<Shape, Block>::Type pass;
  unsigned stride_y, stride_z;  ///< strides of u and of φ, which lie alike, in vectors
  PlanesNearSlabs<R> near;
  int surface;  ///< plane on which u is zero and above which it is odd; one that is never met, where there is
                ///< none
  int rim;      ///< planes of the rim above

  /// The vector of a point, whose x is a multiple of four (mod 2³²).
  [[nodiscard]] MINIMOD_HD unsigned vector_at(int x, int y, int z) const {
    if constexpr (lies_in_chunks<Shape>) {
      return pass.at.vector_at(x, y, z);
    } else {
      return static_cast<unsigned>(pass.args.layout.index(x, y, z) / vector_alignment);
    }
  }
};

}  // namespace minimod
