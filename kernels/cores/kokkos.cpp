#include "kernels/cores/kokkos.hpp"

#include "kernels/equation_list.hpp"

namespace minimod {

namespace {
template <class Update>
PlanLaunch launch() {
  return on_host<typename Update::Args>(run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>);
}
}  // namespace

Launches kokkos_host_launches(int radius, Precision precision, Equation equation) {
  Launches launches;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    with_equation(equation, [&]<class Line>() {
      launches.inner = launch<typename Line::template Of<InnerUpdate<Real, Radius>>>();
      launches.pml = launch<typename Line::template Of<PmlUpdate<Real, Radius>>>();
      launches.mixed = launch<typename Line::template Of<MixedUpdate<Real, Radius>>>();
    });
  });
  if (is_wave(equation)) launches.whole_step = launches.mixed;
  return launches;
}

}  // namespace minimod
