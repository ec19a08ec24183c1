/// The families of tiled shapes as plain data: what tells the shapes of a family apart,
/// what the family asks of it, and what a block of such a shape takes of a GPU. From it come the names of the
/// registry, shapes that are compiled when asked for, and what is refused before a compiler is called.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/tile_family.hpp"

namespace minimod {

struct ShapeFamily : TileFamily {
  const char* type;    ///< the class template
  const char* header;  ///< which has it
  /// Values in the shared memory of a block, of the kernel that takes more.
  std::size_t (*shared_values)(const ShapeParameters& of, int radius);
  /// What the family itself cannot do, with the limit; empty where it can.
  std::string (*refusal)(const ShapeParameters& of, int radius);
  int points_before = 0;     ///< of the box along x, at most, that its first tile begins with
  bool takes_double = true;  ///< not of floats alone

  // What its template in shape_list.hpp states for the model of its speed (ShapeDefaults).
  double (*star_loads)(const ShapeParameters& of, int radius) = nullptr;
  double (*loaded_values)(const ShapeParameters& of, int radius) = nullptr;
  int (*more_operations)(int radius) = nullptr;
};

[[nodiscard]] std::span<const ShapeFamily> shape_families();

/// The family of that name, null where there is none.
[[nodiscard]] const ShapeFamily* find_family(std::string_view name);

/// The family and the parameters that a name stands for: nothing where it names no family with a tile behind
/// it.
using NamedShape = TiledName<ShapeFamily>;
[[nodiscard]] std::optional<NamedShape> parse_shape_name(std::string_view name);

/// Why no GPU runs such a shape, with the limit, empty when one may: more threads than a block has, more
/// shared memory than any GPU gives a block, what the family cannot do.
[[nodiscard]] std::string why_impossible(const NamedShape& shape, int radius, Precision precision);

/// Blocks of a launch over a box.
[[nodiscard]] Extent3 blocks_over(const NamedShape& shape, const Box3& box);

/// "StSmem<minimod::InnerUpdate<float>, 24, 12>", with an update of that name.
[[nodiscard]] std::string type_text(const NamedShape& shape, std::string_view update);

}  // namespace minimod
