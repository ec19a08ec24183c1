/// The shape `kokkos` on the GPU of a program that reaches it through Kokkos.
#include "kernels/cores/kokkos_planners.hpp"
#include "kernels/cores/kokkos_points.hpp"

namespace minimod {

LaunchPlanners kokkos_device_planners(int radius, Precision precision, Equation equation) {
  return kokkos_point_planners<Kokkos::DefaultExecutionSpace>(radius, precision, equation);
}

}  // namespace minimod
