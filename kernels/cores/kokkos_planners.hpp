/// Planners of the shape `kokkos`, without what they launch.
#pragma once

#include "kernels/code_shape.hpp"

namespace minimod {

/// The planners of the registry with a stencil of that radius in that precision, on Kokkos' default host
/// execution space.
LaunchPlanners kokkos_host_planners(int radius, Precision precision, Equation equation = Equation::wave);

}  // namespace minimod
