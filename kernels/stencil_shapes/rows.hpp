/// Family `rows`: what the cores of a CPU compute, where all other families are a GPU's. Rows of points, one
/// after the other, in vectors of the processor's level.
#pragma once

#include "kernels/cpu_level.hpp"
#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

/// In memory that is read as it is.
struct NoBlock {};

/// Computes the points of args.box. Outputs are never read by the equations, so that points are independent
/// of each other.
template <class Equations>
[[gnu::flatten]] void compute_rows(const ArrayArgs& args) {
  using Source = Memory<Equations, false, NoBlock>;
  const NoBlock block;
  const Source memory{args, block};
  const auto& [begin, end] = args.box;
  for (int z = begin.z; z < end.z; ++z) {
    for (int y = begin.y; y < end.y; ++y) {
      const std::int64_t first = args.layout.index(begin.x, y, z), last = first + (end.x - begin.x);
      MINIMOD_INDEPENDENT
      for (std::int64_t i = first; i < last; ++i) {
        Equations::compute(MemoryPoint<Equations, Source>{memory, i});
      }
    }
  }
}

}  // namespace minimod::stencil
