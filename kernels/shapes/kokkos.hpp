/// Shape `kokkos`: the portable kernel for all cores and the yardstick for the others. The box is cut along y
/// into blocks of whole rows that march along z: while a plane of a block is updated, the nine planes of u
/// that it needs lie in the cache of the core, and the lines that the next plane needs are on their way
/// there. How a plane is updated is up to the level of the processor: row_loops.hpp, row_packs.hpp. A
/// template over the execution space.
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "kernels/code_shape.hpp"
#include "kernels/row_blocks.hpp"
#include "kernels/shape.hpp"
#include "kernels/shapes/any_rows.hpp"
#include "kernels/shapes/row_loops.hpp"
#include "kernels/shapes/row_packs.hpp"
#include "kernels/work_shares.hpp"

namespace minimod {

/// Blocks whose planes fit into the cache.
template <class Update>
RowBlocks make_row_blocks(const Box3& box, int radius = Update::radius) {
  const int rows_of_a_point = 2 * radius + 2 + (Update::damps ? 6 : 4);  // this plane's and the next's
  const int row_bytes = box.extent().x * static_cast<int>(sizeof(typename Update::Real)) + 2 * cache_line;
  return cut_rows(box, std::int64_t{rows_of_a_point} * row_bytes, 2 * radius);
}

/// Every thread marches through planes that follow each other, of which it finds nine in its cache, until it
/// has to take some from a slower one.
template <class Update, class ExecutionSpace>
void run_kokkos(const typename Update::Args& args) {
  if (args.box.empty()) return;
  const CpuLevel level = cpu_level();
  const RowBlocks blocks = make_row_blocks<Update>(args.box, args.weights.radius);
  const int threads = ExecutionSpace().concurrency();
  WorkShares shares(blocks.planes(), threads);
  const auto update = [&](int i) {
    const Box3 plane = blocks[i];
    const int next_z = std::min(plane.end.z, args.box.end.z - 1);
    if constexpr (Update::radius == any_radius) {
      x86_64_v3::update_plane<Update>(args, plane, next_z);
    } else {
      const auto update_rows = [&] { update_plane(RowLoops{}, Update{}, args, plane, next_z); };
      if constexpr (has_row_packs) {
        if (level == CpuLevel::v4) return x86_64_v4::update_plane<Update>(args, plane, next_z);
        at_cpu_level_v3(update_rows);
      } else {
        at_cpu_level(level, update_rows);
      }
    }
  };
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>> all(0, threads);
  Kokkos::parallel_for("minimod::kokkos", all, [&](int thread) { shares.work_off(thread, update); });
}

/// The launches of the registry with a stencil of that radius in that precision, on Kokkos' default host
/// execution space. Rows of an equation other than the wave's are plain loops over its points.
Launches kokkos_host_launches(int radius, Precision precision, Equation equation = Equation::wave);

}  // namespace minimod
