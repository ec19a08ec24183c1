/// Host launches of the tiled shapes: the device's threads emulated one by one (`--emulate`, and CI).
#pragma once

#include "kernels/host/host_block.hpp"
#include "kernels/planner_table.hpp"

namespace minimod {

/// A function, not a lambda: launches of all shapes are then of one type.
template <class Shape>
void emulate(const WaveArgs<float>& args) {
  run_on_host<Shape>(args);
}

template <std::size_t Part>
void set_host_planners(PlannerTable& table) {
  for_each_in_part<Part>([&]<class Entry>(std::size_t index) {
    const auto planner_of = [](void (*kernel)(const WaveArgs<float>&)) {
      return on_host<WaveArgs<float>>(kernel);
    };
    table[index].inner = planner_of(emulate<typename Entry::template Body<InnerUpdate<float>>>);
    table[index].pml = planner_of(emulate<typename Entry::template Body<PmlUpdate<float>>>);
    table[index].mixed = planner_of(emulate<typename Entry::template Body<MixedUpdate<float>>>);
  });
}

}  // namespace minimod
