/// Planners of the shape `kokkos`, without what they launch.
#pragma once

#include "kernels/code_shape.hpp"

namespace minimod {

/// The planners of the registry with a stencil of that radius in that precision, on Kokkos' default host
/// execution space.
LaunchPlanners kokkos_host_planners(int radius, Precision precision, Equation equation = Equation::wave);

/// Planners of the kernel on Kokkos' default execution space, in a program that has that for its GPU; none in
/// others.
LaunchPlanners kokkos_device_planners(int radius, Precision precision, Equation equation = Equation::wave);

}  // namespace minimod
