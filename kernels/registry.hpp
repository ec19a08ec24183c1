/// All code shapes, by name.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/code_shape.hpp"

namespace minimod {

/// Every shape: `reference`, `kokkos`, the tiled ones in the order of ShapeList, those of Hopper.
[[nodiscard]] const std::vector<CodeShape>& all_shapes();

/// The shape of that name; a bare family gives its default tile; `st_reg_shift…` stands for `st_reg_shft…`.
/// Another tile of a family of shape_family.hpp is a shape that is compiled when it is planned first.
/// Errors: 64 with the nearest names, or with what no GPU runs.
[[nodiscard]] const CodeShape& find_shape(std::string_view name);

}  // namespace minimod
