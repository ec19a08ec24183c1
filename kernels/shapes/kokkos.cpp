#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(args);
}
}  // namespace

Launches kokkos_host_launches() {
  Launches launches;
  launches.inner = unplanned(launch<InnerUpdate<float>>);
  launches.pml = unplanned(launch<PmlUpdate<float>>);
  launches.mixed = unplanned(launch<MixedUpdate<float>>);
  return launches;
}

}  // namespace minimod
