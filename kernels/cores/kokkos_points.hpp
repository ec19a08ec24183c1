/// Shape `kokkos` on a device that Kokkos reaches: a work item a point, all values straight from memory, so
/// that nothing is asked of the device but a loop over a box. A template over the execution space, which any
/// back end of Kokkos may bring.
#pragma once

#include <Kokkos_Core.hpp>

#include "kernels/equation_list.hpp"

namespace minimod {

/// Tiles of a box, points along x, y and z: rows of a GPU's warps, and few enough for the threads of its
/// blocks.
inline constexpr Extent3 points_of_tile{32, 4, 2};

/// Calls work(x, y, z) for the points of a box, behind what was given the space before.
template <class Space, class Work>
void for_points(const char* name, const Box3& box, const Work& work) {
  using Order = Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>;
  using Points = Kokkos::MDRangePolicy<Space, Order, Kokkos::IndexType<int>>;
  if (box.empty()) return;
  const auto& [begin, end] = box;
  Kokkos::parallel_for(name,
                       Points({begin.x, begin.y, begin.z}, {end.x, end.y, end.z},
                              {points_of_tile.x, points_of_tile.y, points_of_tile.z}),
                       work);
}

/// An equation's formula at a point of the box.
template <class Update>
struct PointUpdate {
  typename Update::Args args;
  MINIMOD_HD void operator()(int x, int y, int z) const {
    const NoBlock block;
    Update::compute(MemoryPoint<Update>({args, block}, Index3{x, y, z}));
  }
};

template <class Update, class Space>
void run_points(const typename Update::Args& args) {
  for_points<Space>("minimod::kokkos", args.box, PointUpdate<Update>{args});
}

/// The planners of the registry with a stencil of that radius in that precision, in an execution space.
template <class Space>
[[nodiscard]] LaunchPlanners kokkos_point_planners(int radius, Precision precision, Equation equation) {
  LaunchPlanners planners;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    planners = planners_of_updates<Real, Radius>(equation, []<class Update>() -> LaunchPlanner {
      return on_host<typename Update::Args>(run_points<Update, Space>);
    });
  });
  return planners;
}

}  // namespace minimod
