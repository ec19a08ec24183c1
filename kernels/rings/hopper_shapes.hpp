/// The shapes that need Hopper's copy engine: those that are built in, and the same for other stencils and
/// equations, which are compiled when they are planned first.
#pragma once

#include <vector>

#include "kernels/code_shape.hpp"

namespace minimod {

/// `narrow`: planners for slabs of the PML that fill little of a wide tile.
void add_hopper_shapes(std::vector<CodeShape>& shapes, const LaunchPlanners& narrow);

/// Whether such a shape has another stencil or equation. False for all other shapes.
[[nodiscard]] bool has_hopper_stencil(const CodeShape& built_in, int radius,
                                      Precision precision = Precision::float32,
                                      Equation equation = Equation::wave);
/// The shape that has, by the name of its tile there.
[[nodiscard]] const CodeShape& hopper_shape(const CodeShape& built_in, int radius, Precision precision,
                                            Equation equation);

}  // namespace minimod
