/// Rows of points, one after the other, in vectors of the processor's level: `reference`, the definition of
/// right, and `rows` of specifications, what the cores of a CPU compute.
#pragma once

#include "kernels/cpu_level.hpp"
#include "kernels/equation.hpp"

namespace minimod {

/// Computes the points of args.box. They are independent of each other, which the compiler is told: then it
/// takes vectors.
template <class Equation>
MINIMOD_INLINE void run_reference(const typename Equation::Args& args) {
  const Memory<Equation> memory{args, NoBlock()};
  const auto& [begin, end] = args.box;
  for (int z = begin.z; z < end.z; ++z) {
    for (int y = begin.y; y < end.y; ++y) {
      MINIMOD_INDEPENDENT
      for (int x = begin.x; x < end.x; ++x) {
        Equation::compute(MemoryPoint<Equation>{memory, Index3{x, y, z}});
      }
    }
  }
}

}  // namespace minimod
