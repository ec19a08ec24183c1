/// All code shapes, by name.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/code_shape.hpp"

namespace minimod {

/// Every shape: `reference`, `kokkos`, the tiled ones in the order of ShapeList, those of Hopper.
[[nodiscard]] const std::vector<CodeShape>& all_shapes();

/// The shape of that name, or of another of its family's names (`naive…` is `gmem…`); a bare family gives its
/// default tile.
/// Another tile of a family of shape_family.hpp is a shape that is compiled when it is planned first.
/// So is any shape with a stencil of another radius, in another precision or of another equation than those
/// of all_shapes, but for `reference` and `kokkos` on the host. Errors: 64 with the nearest names, or with
/// what no GPU runs, or a family is not made for.
[[nodiscard]] const CodeShape& find_shape(std::string_view name, int radius = stencil_radius,
                                          Precision precision = Precision::float32,
                                          Equation equation = Equation::wave);
/// Whether there is that shape with a stencil of such a radius in that precision of that equation.
[[nodiscard]] bool has_stencil(const CodeShape& shape, int radius, Precision precision,
                               Equation equation = Equation::wave);
[[nodiscard]] bool has_stencil(std::string_view name, int radius, Precision precision,
                               Equation equation = Equation::wave);

}  // namespace minimod
