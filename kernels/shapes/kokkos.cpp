#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
PlanLaunch launch(int radius) {
  return unplanned([radius](const LaunchArgs<>& args) {
    run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(typename Update::Args(args, radius));
  });
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision) {
  Launches launches;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches.inner = launch<InnerUpdate<Real, Radius>>(radius);
    launches.pml = launch<PmlUpdate<Real, Radius>>(radius);
    launches.mixed = launch<MixedUpdate<Real, Radius>>(radius);
  });
  launches.whole_step = launches.mixed;
  return launches;
}

}  // namespace minimod
