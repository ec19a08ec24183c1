/// Family `rows`: what the cores of a CPU compute, where all other families are a GPU's. Rows of points, one
/// after the other, in vectors of the processor's level.
#pragma once

#include "kernels/cpu_level.hpp"
#include "kernels/equation.hpp"

namespace minimod::stencil {

/// Computes the points of args.box. Outputs are never read by the equations, so that points are independent
/// of each other.
template <class Equations>
[[gnu::flatten]] void compute_rows(const typename Equations::Args& args) {
  const Memory<Equations> memory{args, NoBlock()};
  const auto& [begin, end] = args.box;
  for (int z = begin.z; z < end.z; ++z) {
    for (int y = begin.y; y < end.y; ++y) {
      MINIMOD_INDEPENDENT
      for (int x = begin.x; x < end.x; ++x) {
        Equations::compute(MemoryPoint<Equations>{memory, Index3{x, y, z}});
      }
    }
  }
}

}  // namespace minimod::stencil
