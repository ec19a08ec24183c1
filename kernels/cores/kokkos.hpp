/// Shape `kokkos`: the portable kernel for all cores and the yardstick for the others. The box is cut along y
/// into blocks of whole rows that march along z: while a plane of a block is updated, the nine planes of u
/// that it needs lie in the cache of the core, and the lines that the next plane needs are on their way
/// there. How a plane is updated is up to the level of the processor: row_loops.hpp, row_packs.hpp. A
/// template over the execution space.
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "kernels/code_shape.hpp"
#include "kernels/cores/any_rows.hpp"
#include "kernels/cores/row_loops.hpp"
#include "kernels/cores/row_packs.hpp"
#include "kernels/cores/rows.hpp"
#include "kernels/shape.hpp"
#include "kernels/whole/row_blocks.hpp"
#include "kernels/whole/work_shares.hpp"

namespace minimod {

/// Blocks whose planes fit into the cache, those of this plane and of the next.
template <class Update>
RowBlocks make_row_blocks(const Box3& box, int radius = Update::radius) {
  constexpr bool is_any = Update::radius == any_radius;  // then arrays do not say how far they are read
  int rows_of_a_point = 2 * (Update::AtPoint::count + (Update::damps ? Update::Elsewhere::count : 0));
  for_each(typename Update::Beside{}, [&]<int Array>() {
    rows_of_a_point += is_any ? 2 * radius + 2 : depth_z(Update::reach(Array)) + 1;
  });
  const int row_bytes = box.extent().x * static_cast<int>(sizeof(typename Update::Real)) + 2 * cache_line;
  return cut_rows(box, std::int64_t{rows_of_a_point} * row_bytes, 2 * radius);
}

/// Asks for what a row of the plane next_z is the first to read of each array.
template <class Update>
MINIMOD_INLINE void fetch_row_ahead(const typename Update::Args& args, Index3 begin, int end, int next_z) {
  constexpr int line = cache_line / static_cast<int>(sizeof(typename Update::Real));
  const auto ask = [&]<int Array>(int z) MINIMOD_INLINED {
    const auto* const row =
        Update::template data<Array>(args) + Update::template layout<Array>(args).index(begin.x, begin.y, z);
    for (int x = 0; x < end - begin.x; x += line) fetch(row + x);
  };
  for_each(typename Update::Beside{},
           [&]<int Array>() { ask.template operator()<Array>(next_z + Update::reach(Array).upper.z); });
  for_each(typename Update::AtPoint{}, [&]<int Array>() { ask.template operator()<Array>(next_z); });
  if constexpr (Update::damps)
    for_each(typename Update::Elsewhere{}, [&]<int Array>() { ask.template operator()<Array>(next_z); });
}

/// Updates a plane of a block, or a part of one. Rows of an equation other than the wave's are plain loops
/// over its points.
template <class Update>
void update_rows(Update, CpuLevel level, const typename Update::Args& args, const Box3& plane, int next_z) {
  using Real = typename Update::Real;
  constexpr bool is_any = Update::radius == any_radius;
  if constexpr (!std::is_same_v<typename Update::Args, WaveArgs<Real, Update::radius>>) {
    typename Update::Args of_row = args;
    of_row.box = plane;
    for (int y = plane.begin.y; y < plane.end.y; ++y) {
      of_row.box.begin.y = y;
      of_row.box.end.y = y + 1;
      fetch_row_ahead<Update>(args, of_row.box.begin, plane.end.x, next_z);
      if constexpr (!is_any) {
        if (level == CpuLevel::v4) {
          at_cpu_level_v4([&] { run_reference<Update>(of_row); });
          continue;
        }
      }
      run_reference_v3<Update>(of_row);
    }
  } else if constexpr (is_any) {
    x86_64_v3::update_plane<Update>(args, plane, next_z);
  } else {
    const auto update = [&] { update_plane(RowLoops{}, Update{}, args, plane, next_z); };
    if constexpr (has_row_packs) {
      if (level == CpuLevel::v4) return x86_64_v4::update_plane<Update>(args, plane, next_z);
      at_cpu_level_v3(update);
    } else {
      at_cpu_level(level, update);
    }
  }
}

/// With both formulas a plane is cut where they change.
template <template <class> class Line, class Real, int Radius>
void update_rows(Line<MixedUpdate<Real, Radius>>, CpuLevel level,
                 const typename Line<MixedUpdate<Real, Radius>>::Args& args, const Box3& plane, int next_z) {
  cut_at_inner(
      args, plane,
      [&](const Box3& part) { update_rows(Line<PmlUpdate<Real, Radius>>(), level, args, part, next_z); },
      [&](const Box3& part) { update_rows(Line<InnerUpdate<Real, Radius>>(), level, args, part, next_z); });
}
template <class Real, int Radius>
void update_rows(MixedUpdate<Real, Radius>, CpuLevel level, const WaveArgs<Real, Radius>& args,
                 const Box3& plane, int next_z) {
  cut_at_inner(
      args, plane,
      [&](const Box3& part) { update_rows(PmlUpdate<Real, Radius>(), level, args, part, next_z); },
      [&](const Box3& part) { update_rows(InnerUpdate<Real, Radius>(), level, args, part, next_z); });
}

/// Every thread marches through planes that follow each other, of which it finds nine in its cache, until it
/// has to take some from a slower one.
template <class ExecutionSpace>
void march(const RowBlocks& blocks, const std::function<void(const Box3& plane)>& update) {
  const int threads = ExecutionSpace().concurrency();
  WorkShares shares(blocks.planes(), threads);
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>> all(0, threads);
  Kokkos::parallel_for("minimod::kokkos", all,
                       [&](int thread) { shares.work_off(thread, [&](int i) { update(blocks[i]); }); });
}

template <class Update, class ExecutionSpace>
void run_kokkos(const typename Update::Args& args) {
  if (args.box.empty()) return;
  const CpuLevel level = cpu_level();
  march<ExecutionSpace>(make_row_blocks<Update>(args.box, args.weights.radius), [&](const Box3& plane) {
    update_rows(Update(), level, args, plane, std::min(plane.end.z, args.box.end.z - 1));
  });
}

}  // namespace minimod
