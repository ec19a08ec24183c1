/// Planners of `tma_whole` and `tma_whole_step`.
#pragma once

#include <array>
#include <string>

#include "kernels/code_shape.hpp"
#include "kernels/whole/tma_whole_chunks.hpp"
#include "kernels/whole/tma_whole_step.hpp"
#include "src/base/error.hpp"

namespace minimod {

/// In the order of the lists; all empty in a build without code for sm_90a.
[[nodiscard]] std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners();
[[nodiscard]] std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners();

/// The same with another radius, up to the greatest that each has; their kernels are compiled when they are
/// planned first.
[[nodiscard]] std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners(int radius);
[[nodiscard]] std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners(int radius);

/// Name of a shape's type in a source.
template <class Shape>
[[nodiscard]] std::string type_of_whole() {
  if (Shape::steps == 2)
    return text(lies_in_chunks<Shape> ? "TmaWholeChunksOf<" : "TmaWholeOf<", Shape::R, '>');
  return text("TmaWholeStep<", Shape::threads_x, ", ", Shape::threads_y, ", ", Shape::rows, ", ",
              Shape::stages_u, ", ", Shape::stages_v, ", ", Shape::R, '>');
}

/// And of its blocks'.
template <class Shape>
[[nodiscard]] const char* block_of_whole() {
  return lies_in_chunks<Shape> ? "SidedBlock" : "HopperBlock";
}

}  // namespace minimod
