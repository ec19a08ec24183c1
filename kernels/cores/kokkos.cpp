#include "kernels/cores/kokkos.hpp"

#include "kernels/cores/kokkos_planners.hpp"
#include "kernels/equation_list.hpp"

namespace minimod {

namespace {
template <class Update>
LaunchPlanner planner() {
  return on_host<typename Update::Args>(run_kokkos<Update, Kokkos::DefaultHostExecutionSpace>);
}
}  // namespace

LaunchPlanners kokkos_host_planners(int radius, Precision precision, Equation equation) {
  LaunchPlanners planners;
  with_built_stencil(precision, radius, [&]<class Real, int Radius>() {
    planners = planners_of_updates<Real, Radius>(equation, []<class Update>() { return planner<Update>(); });
  });
  planners.whole_step = planners.mixed;
  return planners;
}

}  // namespace minimod
