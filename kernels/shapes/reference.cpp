#include "kernels/shapes/reference.hpp"

#include <Kokkos_Core.hpp>

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args) {
  if (args.box.empty()) return;
  using Planes = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("minimod::reference", Planes(args.box.begin.z, args.box.end.z), [&args](int z) {
    StencilArgs<float> plane = args;
    plane.box.begin.z = z;
    plane.box.end.z = z + 1;
    run_reference<Update>(plane);
  });
}
}  // namespace

Launches reference_host_launches() {
  Launches launches;
  launches.inner = unplanned(launch<InnerUpdate<float>>);
  launches.pml = unplanned(launch<PmlUpdate<float>>);
  launches.mixed = unplanned(launch<MixedUpdate<float>>);
  return launches;
}

}  // namespace minimod
