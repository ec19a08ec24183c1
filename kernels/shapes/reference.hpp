/// Shape `reference`: the plain triple loop, the definition of right. Float and double. Its points are
/// independent of each other, which the compiler is told: then it takes vectors, and the loop is a yardstick,
/// too.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/cpu_level.hpp"

namespace minimod {

template <class Update>
MINIMOD_INLINE void run_reference(const typename Update::Args& args) {
  const Layout& at = args.layout;
  for (int z = args.box.begin.z; z < args.box.end.z; ++z) {
    for (int y = args.box.begin.y; y < args.box.end.y; ++y) {
      MINIMOD_INDEPENDENT
      for (int x = args.box.begin.x; x < args.box.end.x; ++x) {
        update_point<Update>(
            args, {x, y, z},
            MemoryStar<typename Update::Real>{args.u + at.index(x, y, z), at.stride_y, at.stride_z});
      }
    }
  }
}

/// The launches of the registry: on the host the planes over the cores, with a stencil of any radius and
/// precision, on the device one thread a point.
Launches reference_host_launches(int radius, Precision precision);
Launches reference_device_launches();

}  // namespace minimod
