#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const LaunchArgs<float>& args) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(typename Update::Args(args));
}
}  // namespace

Launches kokkos_host_launches(int radius) {
  Launches launches;
  with_radius(radius, [&]<int Radius>() {
    launches.inner = unplanned(launch<InnerUpdate<float, Radius>>);
    launches.pml = unplanned(launch<PmlUpdate<float, Radius>>);
    launches.mixed = unplanned(launch<MixedUpdate<float, Radius>>);
  });
  return launches;
}

}  // namespace minimod
