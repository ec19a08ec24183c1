/// Shape `kokkos`: the portable kernel for all cores and the yardstick for the others. The box is cut into
/// blocks of whole rows that march along z: while a plane of a block is updated, the nine planes of u that it
/// needs lie in the cache of the core, and the lines that the next plane needs are on their way there. x runs
/// along the row in segments of one cache line, which become whole vectors. A template over the execution
/// space.
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include "kernels/code_shape.hpp"
#include "kernels/cpu_level.hpp"

namespace minimod {

/// What the rows of a block may take of a core's own cache, which today has 1 to 2 MiB.
inline constexpr int block_bytes = 640 << 10;
inline constexpr int cache_line = 64;

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

/// Blocks that fit into the cache, and a slab for each of the cores if that leaves it planes enough to march.
template <class Update>
RowBlocks make_row_blocks(const Box3& box, int cores) {
  constexpr int least_planes = 4 * Update::radius;
  constexpr int rows_of_a_point =
      2 * Update::radius + 2 + (Update::damps ? 6 : 4);  // this plane's and the next's
  const Extent3 n = box.extent();
  const int row_bytes = n.x * static_cast<int>(sizeof(typename Update::Real)) + 2 * cache_line;
  const int rows = std::max(block_bytes / (rows_of_a_point * row_bytes), 2 * Update::radius);
  return {box, (n.y + rows - 1) / rows, std::clamp(n.z / least_planes, 1, cores)};
}

/// Asks for a line, which will be read once, for the cache that the blocks fit into. (Always inlined: GCC
/// takes a call of a function that does nothing else for one without effect.)
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void fetch(const Real* line) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  constexpr int to_read = 0, second_level = 2;
  __builtin_prefetch(line, to_read, second_level);
#endif
}

/// Asks for what the update of point p is the first to read.
template <class Update>
KOKKOS_FORCEINLINE_FUNCTION void fetch_ahead(const typename Update::Args& args, Index3 p) {
  const std::int64_t i = args.layout.index(p.x, p.y, p.z);
  fetch(args.u + i + Update::radius * args.layout.stride_z);
  fetch(args.u_next + i);
  fetch(args.v2dt2 + i);
  if constexpr (Update::damps) fetch(args.phi + args.phi_layout.index(p.x, p.y, p.z));
}

/// The same at the ends of a row [begin, end): the lines of the halo, and the last, where no segment begins.
template <class Update>
KOKKOS_FORCEINLINE_FUNCTION void fetch_row_ends(const typename Update::Args& args, Index3 begin, int end) {
  const std::int64_t above = args.layout.index(0, begin.y, begin.z + Update::radius);
  fetch(args.u + above + begin.x - Update::radius);
  fetch(args.u + above + end - 1 + Update::radius);
  fetch_ahead<Update>(args, {end - 1, begin.y, begin.z});
}

/// Updates the points of a row from p on to `end`, as many as there are in steps of `Count`: the loop over
/// these has a length known to the compiler, which makes whole vectors of it. Then the rest in smaller steps.
template <class Update, int Count>
KOKKOS_FORCEINLINE_FUNCTION void update_segments(const typename Update::Args& args, Index3 p, int end,
                                                 int next_z) {
  const Layout& at = args.layout;
  for (; p.x + Count <= end; p.x += Count) {
    if constexpr (Count >= 4) fetch_ahead<Update>(args, {p.x, p.y, next_z});
    MINIMOD_INDEPENDENT
    for (int i = 0; i < Count; ++i) {
      using Star = MemoryStar<typename Update::Real>;
      const std::int64_t centre = at.index(p.x, p.y, p.z) + i;
      update_point<Update>(args, {p.x + i, p.y, p.z}, Star{args.u + centre, at.stride_y, at.stride_z});
    }
  }
  if constexpr (Count > 1) update_segments<Update, (Count > 4 ? Count / 2 : 1)>(args, p, end, next_z);
}

/// Updates a plane of a block. It has its own copy of the arguments, which no store to a field can alter: the
/// weights stay where they are.
template <class Update>
KOKKOS_FORCEINLINE_FUNCTION void update_plane(Update, typename Update::Args args, const Box3& plane,
                                              int next_z) {
  constexpr int line = cache_line / static_cast<int>(sizeof(typename Update::Real));
  const int begin = plane.begin.x, end = plane.end.x, z = plane.begin.z;
  for (int y = plane.begin.y; y < plane.end.y; ++y) {
    fetch_row_ends<Update>(args, {begin, y, next_z}, end);
    update_segments<Update, line>(args, {begin, y, z}, end, next_z);
  }
}

/// With both formulas a plane is cut where they change, and has no conditional at its points.
template <class Real, int Radius>
KOKKOS_FORCEINLINE_FUNCTION void update_plane(MixedUpdate<Real, Radius>,
                                              const StencilArgs<Real, Radius>& args, const Box3& plane,
                                              int next_z) {
  const auto [x0, y0, z0] = plane.begin;
  const auto [x1, y1, z1] = plane.end;
  const Index3 a = args.inner.begin, b = args.inner.end;
  const bool meets_inner = z0 >= a.z && z0 < b.z;
  const int front = meets_inner ? std::clamp(a.y, y0, y1) : y1;
  const int back = meets_inner ? std::clamp(b.y, y0, y1) : y1;
  const Box3 around[] = {{plane.begin, {x1, front, z1}},
                         {{x0, front, z0}, {a.x, back, z1}},
                         {{b.x, front, z0}, {x1, back, z1}},
                         {{x0, back, z0}, plane.end}};
  for (const Box3& part : around) {
    if (!part.empty()) update_plane(PmlUpdate<Real, Radius>(), args, part, next_z);
  }
  const Box3 inner{{a.x, front, z0}, {b.x, back, z1}};
  if (args.updates_inner && !inner.empty()) update_plane(InnerUpdate<Real, Radius>(), args, inner, next_z);
}

template <class Update, class ExecutionSpace>
void run_kokkos(const typename Update::Args& args) {
  if (args.box.empty()) return;
  const CpuLevel level = cpu_level();
  const RowBlocks blocks = make_row_blocks<Update>(args.box, ExecutionSpace().concurrency());
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>> all(0, blocks.blocks * blocks.slabs);
  Kokkos::parallel_for(
      "minimod::kokkos", all, KOKKOS_LAMBDA(int i) {
        at_cpu_level(level, [&args, block = blocks[i]] {
          for (int z = block.begin.z; z < block.end.z; ++z) {
            const Index3 begin{block.begin.x, block.begin.y, z}, end{block.end.x, block.end.y, z + 1};
            update_plane(Update{}, args, {begin, end}, std::min(z + 1, block.end.z - 1));
          }
        });
      });
}

/// The launches of the registry, on Kokkos' default host execution space.
Launches kokkos_host_launches();

}  // namespace minimod
