/// The families of the shapes in shape_list.hpp. From them come the names of the registry, shapes that are
/// compiled when asked for, and what is refused before a compiler is called.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/equation_names.hpp"
#include "kernels/tiles/tile_family.hpp"

namespace minimod {

[[nodiscard]] std::span<const TileFamily> shape_families();

/// The family of that name, null where there is none.
[[nodiscard]] const TileFamily* find_family(std::string_view name);

/// The family and the parameters that a name stands for: nothing where it names no family with a tile behind
/// it.
using NamedShape = TiledName<TileFamily>;
[[nodiscard]] std::optional<NamedShape> parse_shape_name(std::string_view name);

/// Bytes in the shared memory of a block; of an equation other than the wave's at most.
[[nodiscard]] std::size_t shared_bytes(const NamedShape& shape, int radius, Precision precision,
                                       Equation equation = Equation::wave);

/// Why no GPU runs such a shape, with the limit, empty when one may: more threads than a block has, more
/// shared memory than any GPU gives a block, what the family cannot do.
[[nodiscard]] std::string why_impossible(const NamedShape& shape, int radius, Precision precision,
                                         Equation equation = Equation::wave);

/// "gmem, smem_u", those that take any equation.
[[nodiscard]] std::string families_of_any_equation();

/// Blocks of a launch over a box.
[[nodiscard]] Extent3 blocks_over(const NamedShape& shape, const Box3& box);

/// The header in kernels/shapes that has its template.
[[nodiscard]] std::string header_of(const TileFamily& family);

}  // namespace minimod
