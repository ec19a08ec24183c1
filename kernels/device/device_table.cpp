/// The planners of the device in a build with CUDA.
#include "kernels/planner_table.hpp"

namespace minimod {

PlannerTable device_planner_table() {
  PlannerTable table;
  [&]<std::size_t... Part>(std::index_sequence<Part...>) {
    (set_device_planners<Part>(table), ...);
  }
  (std::make_index_sequence<MINIMOD_SHAPE_PARTS>{});
  return table;
}

}  // namespace minimod
