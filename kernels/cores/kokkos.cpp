#include "kernels/cores/kokkos.hpp"

#include "kernels/equation_list.hpp"

namespace minimod {

namespace {
template <class Update>
LaunchPlanner launch() {
  return on_host<typename Update::Args>(run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>);
}
}  // namespace

LaunchPlanners kokkos_host_launches(int radius, Precision precision, Equation equation) {
  LaunchPlanners launches;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    launches = launches_of_updates<Real, Radius>(equation, []<class Update>() { return launch<Update>(); });
  });
  if (equation == Equation::wave) launches.whole_step = launches.mixed;
  return launches;
}

}  // namespace minimod
