/// Shape `kokkos`: rows of the box in an MDRangePolicy, x along the row; the portable kernel that runs
/// everywhere and the yardstick for the others. A template over the execution space.
#pragma once

#include <Kokkos_Core.hpp>

#include "kernels/code_shape.hpp"

namespace minimod {

/// Updates one row; the points of a row do not depend on each other, which lets the compiler take vectors.
template <class Update>
KOKKOS_INLINE_FUNCTION void update_row(const typename Update::Args& args, int y, int z) {
  const Layout& at = args.layout;
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
#pragma GCC ivdep
#endif
  for (int x = args.box.begin.x; x < args.box.end.x; ++x) {
    update_point<Update>(
        args, {x, y, z},
        MemoryStar<typename Update::Real>{args.u + at.index(x, y, z), at.stride_y, at.stride_z});
  }
}

template <class Update, class ExecutionSpace>
void run_kokkos(const typename Update::Args& args) {
  if (args.box.empty()) return;
  using Rows = Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2>, Kokkos::IndexType<int>>;
  const Rows rows({args.box.begin.z, args.box.begin.y}, {args.box.end.z, args.box.end.y}, {32, 16});
  Kokkos::parallel_for(
      "minimod::kokkos", rows, KOKKOS_LAMBDA(int z, int y) { update_row<Update>(args, y, z); });
}

/// The launches of the registry, on Kokkos' default host execution space.
Launches kokkos_host_launches();

}  // namespace minimod
