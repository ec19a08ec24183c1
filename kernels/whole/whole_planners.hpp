/// Planners of `tma_whole` and `tma_whole_step`.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "kernels/code_shape.hpp"
#include "kernels/compiled/shape_source.hpp"
#include "kernels/whole/tma_whole_chunks.hpp"
#include "kernels/whole/tma_whole_step.hpp"
#include "src/base/error.hpp"

namespace minimod {

/// In the order of the lists; all empty in a build without code for sm_90a.
[[nodiscard]] std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners();
[[nodiscard]] std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners();

/// Planners of both families with another radius, up to the greatest that each has; kernels are compiled when
/// they are planned first.
[[nodiscard]] std::array<LaunchPlanners, TmaWholeList::size> tma_whole_planners(int radius);
[[nodiscard]] std::array<LaunchPlanners, TmaWholeStepList::size> tma_whole_step_planners(int radius);

/// Source of a shape's kernel, whose arguments have so many bytes in the program; 0: not known.
template <class Shape>
[[nodiscard]] ShapeSource source_of_whole(std::size_t bytes = 0) {
  constexpr bool in_chunks = lies_in_chunks<Shape>;
  const std::string type =
      Shape::steps == 2 ? text(in_chunks ? "TmaWholeChunksOf<" : "TmaWholeOf<", Shape::R, '>')
      : in_chunks       ? text("TmaWholeStepChunksOf<", Shape::R, '>')
                  : text("TmaWholeStep<", Shape::threads_x, ", ", Shape::threads_y, ", ", Shape::rows, ", ",
                         Shape::stages_u, ", ", Shape::stages_v, ", ", Shape::R, '>');
  return whole_source(text(Shape::family, " of order ", 2 * Shape::R),
                      text(type, in_chunks ? ", SidedBlock" : ", HopperBlock"), bytes);
}

}  // namespace minimod
