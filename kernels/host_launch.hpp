/// Host launches of the tiled shapes: the device's threads played one by one (`--emulate`, and CI).
#pragma once

#include "kernels/host_block.hpp"
#include "kernels/launch_table.hpp"

namespace minimod {

template <class Shape>
void emulate(const LaunchArgs<>& args) {
  run_on_host<Shape>(StencilArgs<float>(args));
}

template <std::size_t Part>
void set_host_launches(LaunchTable& table) {
  for_each_in_part<Part>(ShapeList{}, [&]<class Entry>(std::size_t index) {
    table[index].inner = unplanned(emulate<typename Entry::template Body<InnerUpdate<float>>>);
    table[index].pml = unplanned(emulate<typename Entry::template Body<PmlUpdate<float>>>);
    table[index].mixed = unplanned(emulate<typename Entry::template Body<MixedUpdate<float>>>);
  });
}

}  // namespace minimod
