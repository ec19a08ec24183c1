#include "kernels/shapes/kokkos.hpp"

#include "kernels/shapes/mixed_in_parts.hpp"

namespace minimod {

namespace {
template <class Update>
void launch(const LaunchArgs<>& args) {
  run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>(typename Update::Args(args));
}

template <class Real, int Radius>
void launch_mixed(const LaunchArgs<>& args) {
  if constexpr (is_common_stencil<Real, Radius>) {
    launch<MixedUpdate<Real, Radius>>(args);
  } else {
    run_mixed_in_parts(args, launch<InnerUpdate<Real, Radius>>, launch<PmlUpdate<Real, Radius>>);
  }
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision) {
  Launches launches;
  with_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches.inner = unplanned(launch<InnerUpdate<Real, Radius>>);
    launches.pml = unplanned(launch<PmlUpdate<Real, Radius>>);
    launches.mixed = unplanned(launch_mixed<Real, Radius>);
  });
  return launches;
}

}  // namespace minimod
