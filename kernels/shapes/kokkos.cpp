#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const LaunchArgs<>& args) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(typename Update::Args(args));
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision) {
  Launches launches;
  with_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches.inner = unplanned(launch<InnerUpdate<Real, Radius>>);
    launches.pml = unplanned(launch<PmlUpdate<Real, Radius>>);
    launches.mixed = unplanned(launch<MixedUpdate<Real, Radius>>);
  });
  return launches;
}

}  // namespace minimod
