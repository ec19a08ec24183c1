/// The launches of the device in a build with CUDA.
#include "kernels/launch_table.hpp"

namespace minimod {

LaunchTable device_launch_table() {
  LaunchTable table;
  [&]<std::size_t... Part>(std::index_sequence<Part...>) {
    (set_device_launches<Part>(table), ...);
  }
  (std::make_index_sequence<MINIMOD_SHAPE_PARTS>{});
  return table;
}

}  // namespace minimod
