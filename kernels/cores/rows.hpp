/// Rows of points, one after the other, in vectors of the processor's level: `reference`, the definition of
/// right, and `rows` of specifications, what the cores of a CPU compute.
#pragma once

#include "kernels/equation.hpp"
#include "kernels/host/cpu_level.hpp"

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

/// A plane in the vectors of x86-64-v3, in one copy for all that ask for it.
template <class Equation>
void run_reference_v3(const typename Equation::Args& args) {
  at_cpu_level_v3([&args] { run_reference<Equation>(args); });
}

}  // namespace minimod
