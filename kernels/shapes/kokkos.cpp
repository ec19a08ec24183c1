#include "kernels/shapes/kokkos.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const StencilArgs<float>& args, void* /*stream*/) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(args);
}
}  // namespace

Launches kokkos_host_launches() {
  Launches launches;
  launches.inner = launch<InnerUpdate<float>>;
  launches.pml = launch<PmlUpdate<float>>;
  launches.mixed = launch<MixedUpdate<float>>;
  return launches;
}

}  // namespace minimod
