/// Shape `reference`: the plain triple loop of rows.hpp, the definition of right, in float and double; in
/// vectors, and so a yardstick, too.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/cores/rows.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// Adds the source to u⁺, as a launch that serves it does.
template <int Radius>
inline void add_source(const DomainArgsOf<Radius>& args) {
  if (args.shot.source_sample == nullptr) return;
  const float* share = args.shot.source_shares;
  for (int z = args.shot.source.begin.z; z < args.shot.source.end.z; ++z) {
    for (int y = args.shot.source.begin.y; y < args.shot.source.end.y; ++y) {
      for (int x = args.shot.source.begin.x; x < args.shot.source.end.x; ++x)
        args.u_next[args.layout.index(x, y, z)] += *share++ * *args.shot.source_sample;
    }
  }
}

/// The planners of the registry: on the host the planes over the cores, with a stencil of any radius and
/// precision, on the device one thread a point.
LaunchPlanners reference_host_planners(int radius, Precision precision, Equation equation = Equation::wave);
LaunchPlanners reference_device_planners();

}  // namespace minimod
