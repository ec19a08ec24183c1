/// How the planners of the tiled shapes reach the registry. They are instantiated in parts, each a
/// translation unit that the build generates for the host and for the device, so that all cores compile.
#pragma once

#include <array>

#include "kernels/code_shape.hpp"
#include "kernels/shape_list.hpp"

namespace minimod {

/// In the order of ShapeList.
using PlannerTable = std::array<LaunchPlanners, ShapeList::size>;

/// Sets the entries of one part: every MINIMOD_SHAPE_PARTS-th of the list.
template <std::size_t Part>
void set_host_planners(PlannerTable& table);
template <std::size_t Part>
void set_device_planners(PlannerTable& table);

/// The planners of the device, all empty in a build without CUDA.
[[nodiscard]] PlannerTable device_planner_table();

/// Calls visit.operator()<Entry>(index) for the entries of one part.
template <std::size_t Part, class Visit>
void for_each_in_part(const Visit& visit) {
  for_each_entry(ShapeList{}, [&]<class Entry, std::size_t Index>() {
    if constexpr (Index % MINIMOD_SHAPE_PARTS == Part) visit.template operator()<Entry>(Index);
  });
}

}  // namespace minimod
