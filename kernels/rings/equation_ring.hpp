/// `tma_ring` of another equation than the wave: every array that a point reads has a ring of planes, and the
/// point is computed as the equation says (equation_ring_kernel.cuh). The sums are those of all families of
/// any equation. Compiled when asked for, for any order and precision.
#pragma once

#include "kernels/code_shape.hpp"
#include "kernels/equation_list.hpp"
#include "kernels/rings/equation_tile.hpp"

namespace minimod {

/// Whether an equation's points are computed so.
[[nodiscard]] inline bool has_equation_ring(Equation equation) {
  return !has_wave_star(equation);
}

/// The tiles of a step's boxes, and the bytes that the rings of any of them take.
struct EquationRingFacts {
  EquationRingShape inner, layer, across_x;
  int bytes = 0;
};
[[nodiscard]] EquationRingFacts equation_ring_facts(Equation equation, int radius, Precision precision);

/// Empty in a build without code for sm_90a.
[[nodiscard]] LaunchPlanners equation_ring_planners(Equation equation, int radius, Precision precision);

}  // namespace minimod
