/// Shapes that the program was not built with: any tile, order and precision of a family that it knows,
/// compiled when it is planned first, by the host's compiler where threads are emulated, by nvrtc or hiprtc
/// for a GPU.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/compiled/host_compiler.hpp"
#include "kernels/tiles/shape_family.hpp"

namespace minimod {

/// `built_in`: a shape of the same family, which says what does not depend on the tile, the radius of the
/// stencil and the precision. The launches throw what compile_for_host and GpuCompiler do. Error 64 for
/// what no GPU runs.
[[nodiscard]] CodeShape compiled_shape(const NamedShape& shape, int radius, Precision precision,
                                       const CodeShape& built_in, Equation equation = Equation::wave);

/// The planner of a function that host_source of that equation, radius and precision has.
[[nodiscard]] LaunchPlanner planner_of_host_function(HostFunctions::value_type function, int radius,
                                                     Precision precision, Equation equation = Equation::wave);
/// Planners of launches that emulate a shape's threads, compiled when they are planned first.
[[nodiscard]] LaunchPlanners compiled_host_planners(const NamedShape& shape, int radius, Precision precision,
                                                    Equation equation = Equation::wave);
/// Planners of kernels that are compiled for the GPU that they are planned for; null in a build without CUDA.
[[nodiscard]] LaunchPlanners compiled_device_planners(const NamedShape& shape, int radius,
                                                      Precision precision,
                                                      Equation equation = Equation::wave);

}  // namespace minimod
