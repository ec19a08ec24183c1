/// Shape `kokkos`: the portable kernel for all cores and the yardstick for the others. The box is cut into
/// blocks of whole rows that march along z: while a plane of a block is updated, the nine planes of u that it
/// needs lie in the cache of the core, and the lines that the next plane needs are on their way there. How a
/// plane is updated is up to the level of the processor: row_loops.hpp, row_packs.hpp. A template over the
/// execution space.
#pragma once

#include <algorithm>
#include <numeric>

#include <Kokkos_Core.hpp>

#include "kernels/code_shape.hpp"
#include "kernels/shape.hpp"
#include "kernels/shapes/any_rows.hpp"
#include "kernels/shapes/row_loops.hpp"
#include "kernels/shapes/row_packs.hpp"

namespace minimod {

/// What the rows of a block may take of a core's own cache, which today has 1 to 2 MiB.
inline constexpr int block_bytes = 720 << 10;

/// A box cut along y into blocks of rows and along z into slabs, of as equal a size as can be.
struct RowBlocks {
  Box3 box;
  int blocks, slabs;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Box3 operator[](int i) const {
    const auto cut = [](int begin, int end, int k, int pieces) {
      return begin + static_cast<int>(std::int64_t{end - begin} * k / pieces);
    };
    const int block = i % blocks, slab = i / blocks;
    const int y0 = cut(box.begin.y, box.end.y, block, blocks);
    const int y1 = cut(box.begin.y, box.end.y, block + 1, blocks);
    const int z0 = cut(box.begin.z, box.end.z, slab, slabs);
    const int z1 = cut(box.begin.z, box.end.z, slab + 1, slabs);
    return {{box.begin.x, y0, z0}, {box.end.x, y1, z1}};
  }
};

/// Blocks that fit into the cache, as many for one core as for the next, and of these the cut of which a core
/// reads least: a block begins with planes that nobody has fetched, and has rows of its neighbours on two
/// sides.
template <class Update>
RowBlocks make_row_blocks(const Box3& box, int cores, int R = Update::radius) {
  const int least_planes = 4 * R;
  const int rows_of_a_point = 2 * R + 2 + (Update::damps ? 6 : 4);  // this plane's and the next's
  const Extent3 n = box.extent();
  const int row_bytes = n.x * static_cast<int>(sizeof(typename Update::Real)) + 2 * cache_line;
  const int rows = std::max(block_bytes / (rows_of_a_point * row_bytes), 2 * R);
  const auto cost = [&](const RowBlocks& cut) {
    const int blocks_of_a_core = ceil_div(cut.blocks * cut.slabs, cores);
    return std::int64_t{blocks_of_a_core} * (ceil_div(n.z, cut.slabs) + 2 * R) *
           (ceil_div(n.y, cut.blocks) + R / 2);
  };
  RowBlocks best{box, ceil_div(n.y, rows), 1};
  for (int slabs = 1; slabs <= std::clamp(n.z / least_planes, 1, cores); ++slabs) {
    const int evenly = cores / std::gcd(cores, slabs);
    const RowBlocks cut{box, std::min(ceil_div(ceil_div(n.y, rows), evenly) * evenly, n.y), slabs};
    if (cost(cut) < cost(best)) best = cut;
  }
  return best;
}

template <class Update, class ExecutionSpace>
void run_kokkos(const typename Update::Args& args) {
  if (args.box.empty()) return;
  const CpuLevel level = cpu_level();
  const RowBlocks blocks =
      make_row_blocks<Update>(args.box, ExecutionSpace().concurrency(), args.weights.radius);
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>> all(0, blocks.blocks * blocks.slabs);
  Kokkos::parallel_for(
      "minimod::kokkos", all, KOKKOS_LAMBDA(int i) {
        if constexpr (Update::radius == any_radius) {
          x86_64_v3::update_block<Update>(args, blocks[i]);
        } else {
          if constexpr (has_row_packs) {
            if (level == CpuLevel::v4) return x86_64_v4::update_block<Update>(args, blocks[i]);
          }
          at_cpu_level(level, [&args, block = blocks[i]] { update_block<RowLoops, Update>(args, block); });
        }
      });
}

/// The launches of the registry with a stencil of that radius in that precision, on Kokkos' default host
/// execution space.
Launches kokkos_host_launches(int radius, Precision precision);

}  // namespace minimod
