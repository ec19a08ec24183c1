/// The families of tiled shapes as plain data: what tells the shapes of a family apart and how that is named,
/// what the family asks of it, and what a block of such a shape takes of a GPU. From it come the names of the
/// registry, shapes that are compiled when asked for, and what is refused before a compiler is called.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/shape.hpp"

namespace minimod {

/// <family>_<Dx>x<Dy>[x<Dz>][_r<RX>x<RY>][_v<width>], the last where it is another width than that of names
/// without it.
[[nodiscard]] std::string shape_name(std::string_view family, const ShapeParameters& of,
                                     int unnamed_width = ShapeDefaults::vector_width);

/// What names of a family say behind it, and the arguments of its template behind the update.
enum class TileForm {
  plane,           ///< <Dx>x<Dy>: Dx, Dy
  volume,          ///< <Dx>x<Dy>x<Dz>: Dx, Dy, Dz
  register_tiles,  ///< <W>x<H>_r<RX>x<RY>[_v<V>]: W / RX, H / RY, RX, RY, V
};

/// Which vectors names of a family say: any family's, or none; and what those stand for that say none.
struct VectorNaming {
  bool may_be_named = false;
  int unnamed_width = ShapeDefaults::vector_width;
};

/// Reads what a name says behind its family; nothing where it says it otherwise.
[[nodiscard]] std::optional<ShapeParameters> parse_tile(std::string_view tile, TileForm form,
                                                        VectorNaming vectors);

/// "st_smem_<Dx>x<Dy>": how shapes of a family of that form are named.
[[nodiscard]] std::string naming(const char* family, TileForm form);

/// Facts that a family's header states for its search and the model of its speed (ShapeDefaults).
struct FamilyFacts {
  TriedTiles tried;
  bool marches_slices = false;
  double (*star_loads)(const ShapeParameters& of, int radius) = nullptr;
  double (*loaded_values)(const ShapeParameters& of, int radius) = nullptr;
  int (*more_operations)(int radius) = nullptr;
};

struct ShapeFamily {
  const char* name;
  const char* type;    ///< the class template
  const char* header;  ///< which has it
  TileForm form;
  Extent3 (*threads)(const ShapeParameters& of, bool damps);
  /// Values in the shared memory of a block, of the kernel that takes more.
  std::size_t (*shared_values)(const ShapeParameters& of, int radius);
  /// What the family itself cannot do, with the limit; empty where it can.
  std::string (*refusal)(const ShapeParameters& of, int radius);
  int points_before = 0;     ///< of the box along x, at most, that its first tile begins with
  bool takes_double = true;  ///< not of floats alone
  FamilyFacts facts = {};    ///< stated by the template in shape_list.hpp

  /// Whether a block of it streams along z.
  [[nodiscard]] bool marches(const ShapeParameters& of) const {
    return of.tile.z == 0 || facts.marches_slices;
  }
};

[[nodiscard]] std::span<const ShapeFamily> shape_families();

/// The family of that name, null where there is none.
[[nodiscard]] const ShapeFamily* find_family(std::string_view name);

/// The family and the parameters that a name stands for: nothing where it names no family with a tile behind
/// it.
struct NamedShape {
  const ShapeFamily* family;
  ShapeParameters parameters;
};
[[nodiscard]] std::optional<NamedShape> parse_shape_name(std::string_view name);

/// "st_smem_<Dx>x<Dy>": how shapes of the family are named.
[[nodiscard]] std::string naming(const ShapeFamily& family);

/// Why no GPU runs blocks of so many threads with so much shared memory, with the limit; empty when one may.
[[nodiscard]] std::string why_no_block(Extent3 threads, std::size_t shared_bytes);
/// The same of the width of its vectors.
[[nodiscard]] std::string why_no_vector(int width);
/// The same of points of a thread, whose values must fit its registers.
[[nodiscard]] std::string too_many_points_a_thread(int points);

/// Why no GPU runs such a shape, with the limit, empty when one may: more threads than a block has, more
/// shared memory than any GPU gives a block, what the family cannot do.
[[nodiscard]] std::string why_impossible(const NamedShape& shape, int radius, Precision precision);

/// Blocks of a launch over a box.
[[nodiscard]] Extent3 blocks_over(const NamedShape& shape, const Box3& box);

/// "StSmem<minimod::InnerUpdate<float>, 24, 12>", with an update of that name.
[[nodiscard]] std::string type_text(const NamedShape& shape, std::string_view update);

}  // namespace minimod
