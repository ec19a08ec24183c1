#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
PlanLaunch launch() {
  return on_host<typename Update::Args>(run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>);
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision) {
  Launches launches;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches.inner = launch<InnerUpdate<Real, Radius>>();
    launches.pml = launch<PmlUpdate<Real, Radius>>();
    launches.mixed = launch<MixedUpdate<Real, Radius>>();
  });
  launches.whole_step = launches.mixed;
  return launches;
}

}  // namespace minimod
