/// The shape `reference` on the host, its planes over the cores.
#pragma once

#include <Kokkos_Core.hpp>

#include "kernels/shapes/reference.hpp"

namespace minimod {

template <class Update>
void run_reference_planes(const typename Update::Args& args) {
  if (args.box.empty()) return;
  using Planes = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("minimod::reference", Planes(args.box.begin.z, args.box.end.z), [&args](int z) {
    typename Update::Args plane = args;
    plane.box.begin.z = z;
    plane.box.end.z = z + 1;
    at_cpu_level_v3([&plane] { run_reference<Update>(plane); });  // the yardstick: fast enough
  });
}

}  // namespace minimod
