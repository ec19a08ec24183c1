/// Shape `reference`: the plain triple loop, the definition of right. Float and double. Its points are
/// independent of each other, which the compiler is told: then it takes vectors, and the loop is a yardstick,
/// too.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/cpu_level.hpp"
#include "kernels/update.hpp"

namespace minimod {

template <class Update>
MINIMOD_INLINE void run_reference(const typename Update::Args& args) {
  const Memory<Update> memory{args, NoBlock()};
  for (int z = args.box.begin.z; z < args.box.end.z; ++z) {
    for (int y = args.box.begin.y; y < args.box.end.y; ++y) {
      MINIMOD_INDEPENDENT
      for (int x = args.box.begin.x; x < args.box.end.x; ++x) {
        Update::compute(MemoryPoint<Update>{memory, Index3{x, y, z}});
      }
    }
  }
}

/// Adds the source to u⁺, as a launch that serves it does.
inline void add_source(const DomainArgs& args) {
  if (args.shot.source_sample == nullptr) return;
  const float* share = args.shot.source_shares;
  for (int z = args.shot.source.begin.z; z < args.shot.source.end.z; ++z) {
    for (int y = args.shot.source.begin.y; y < args.shot.source.end.y; ++y) {
      for (int x = args.shot.source.begin.x; x < args.shot.source.end.x; ++x)
        args.u_next[args.layout.index(x, y, z)] += *share++ * *args.shot.source_sample;
    }
  }
}

/// The launches of the registry: on the host the planes over the cores, with a stencil of any radius and
/// precision, on the device one thread a point.
Launches reference_host_launches(int radius, Precision precision);
Launches reference_device_launches();

}  // namespace minimod
