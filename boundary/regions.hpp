/// The decomposition of a grid: one inner box and six PML regions, disjoint and covering.
#pragma once

#include <array>
#include <string_view>

#include "kernels/grid.hpp"

namespace minimod {

/// Points of PML on each face of a grid; z points down, so `top` is the low z. A slab cut out of a larger
/// domain has none where a neighbour continues it.
struct PmlWidths {
  int left = 0, right = 0;  ///< low and high x
  int front = 0, back = 0;  ///< low and high y
  int top = 0, bottom = 0;  ///< low and high z
};

[[nodiscard]] constexpr PmlWidths same_on_all_faces(int width) {
  return {width, width, width, width, width, width};
}

/// The names of the six PML regions, in the order of `Regions::pml`.
inline constexpr std::array<std::string_view, 6> pml_names{"top", "bottom", "front", "back", "left", "right"};

struct Regions {
  Box3 inner;
  std::array<Box3, 6> pml;  ///< z slabs (full x and y), y slabs (full x, inner z), x slabs (inner y and z)
  [[nodiscard]] std::int64_t pml_points() const;
};

/// Points that no layer has.
[[nodiscard]] Box3 inner_box(Extent3 n, const PmlWidths& widths);
[[nodiscard]] Regions make_regions(Extent3 n, const PmlWidths& widths);

/// Points of both boxes, a box that may be empty.
[[nodiscard]] Box3 common_points(const Box3& a, const Box3& b);

}  // namespace minimod
