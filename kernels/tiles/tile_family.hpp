/// Families of tiled kernels as plain data, made of what their templates say: how names say their tiles, how
/// threads share a tile, what blocks take, what no GPU runs. The code shapes (shape_family.hpp) and the
/// kernels of specifications (src/stencil/kernel_family.hpp) have a table of them each.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/shape.hpp"

namespace minimod {

/// Facts that a template states for shapes of any tile (ShapeDefaults).
struct TileFamily {
  const char *name, *template_name;
  TileForm form;
  bool marches;  ///< along z, plane by plane of a slice, or, without one, of the grid
  Extent3 (*block)(const ShapeParameters& of, KernelKind kernel);
  VectorWidths vectors;
  TriedTiles tried;   ///< in place of the extents that a search takes for the form
  FamilyNames names;  ///< names that are read in place of `name`
  const char* header;
  bool takes_any_equation, takes_corners_off_plane, needs_sums_by_plane;
  int colours;
  bool (*stages)(Reach reach);
  std::int64_t (*shared_values)(const ShapeParameters& of, Reach reach);
  Refusal (*refusal)(const ShapeParameters& of, int radius);
  int points_before;
  double (*star_loads)(const ShapeParameters& of, int radius);
  double (*loaded_values)(const ShapeParameters& of, int radius);
  int (*more_operations)(int radius);
  std::optional<ShapeParameters> usual = {};  ///< tile of the kernel that the bare name stands for, if of any

  /// Threads of a block.
  [[nodiscard]] constexpr Extent3 threads(const ShapeParameters& of, KernelKind kernel = {}) const {
    return block(of, kernel);
  }
};

template <class Shape>
constexpr ShapeParameters parameters_of() {
  const Extent3 tile = Shape::tile;
  return {{tile.x, tile.y, Shape::is_plane ? 0 : tile.z}, Shape::points_per_thread, Shape::vector_width};
}

/// Facts of the family that a shape is of, by the shape of any tile. Where its threads are others than its
/// family's, the compiler names its template.
template <class Shape>
constexpr TileFamily family_of() {
  constexpr ShapeParameters parameters = parameters_of<Shape>();
  static_assert(Shape::threads_of(parameters, {}) == Shape::threads,
                "the family's `threads_of` has blocks of other threads than its `threads`");
  constexpr TileForm form = parameters.points_per_thread.x > 0 ? TileForm::register_tiles
                            : parameters.tile.z > 0            ? TileForm::volume
                                                               : TileForm::plane;
  return {Shape::family,
          Shape::family,
          form,
          Shape::marches_slices || Shape::tile.z == 0,
          &Shape::threads_of,
          Shape::vectors,
          Shape::tried,
          Shape::names,
          Shape::header,
          Shape::takes_any_equation,
          Shape::takes_corners_off_plane,
          Shape::needs_sums_by_plane,
          Shape::colours,
          &Shape::stages,
          &Shape::shared_values,
          &Shape::refusal,
          Shape::points_before,
          &Shape::star_loads,
          &Shape::loaded_values,
          &Shape::more_operations};
}

// ---- names ----

/// <family>_<Dx>x<Dy>[x<Dz>][_r<RX>x<RY>][_v<width>], the last where it is another width than that of names
/// without it.
[[nodiscard]] std::string shape_name(std::string_view family, const ShapeParameters& of,
                                     int unnamed_width = ShapeDefaults::vector_width);

/// Reads a name of the family, bare or with its tile; nothing where it is none.
[[nodiscard]] std::optional<ShapeParameters> parse_tile(std::string_view name, const TileFamily& family);

/// A name, perhaps with a tile or a pattern of one behind it, with a family's own in place of another of its
/// names.
[[nodiscard]] std::string renamed(std::string_view name, const FamilyNames& names, std::string_view own);

/// A name in which every family of a list stands by its own name: `renamed` by each of them.
template <class Family>
[[nodiscard]] std::string as_registered(std::string_view name, std::span<const Family> families) {
  std::string registered(name);
  for (const Family& family : families) registered = renamed(registered, family.names, family.name);
  return registered;
}

/// A family, and the numbers that tell its kernels apart.
template <class Family>
struct TiledName {
  const Family* family;
  ShapeParameters parameters;
};

/// Nothing where it names none of the families.
template <class Family>
[[nodiscard]] std::optional<TiledName<Family>> parse_tiled_name(std::string_view name,
                                                                std::span<const Family> families) {
  const std::string registered = as_registered(name, families);
  for (const Family& family : families) {
    if (const auto parameters = parse_tile(registered, family))
      return TiledName<Family>{&family, *parameters};
  }
  return std::nullopt;
}

/// "st_smem_<Dx>x<Dy>": how kernels of the family are named.
[[nodiscard]] std::string naming(const TileFamily& family);

/// "StSmem<minimod::InnerUpdate<float>, 24, 12>": the type of a kernel, by its template, over an equation of
/// that name, perhaps with more arguments behind.
[[nodiscard]] std::string type_text(const TileFamily& family, const ShapeParameters& of,
                                    std::string_view equation, std::string_view more = "");

// ---- refusals: reasons with their limits, empty where there is none ----

[[nodiscard]] std::string text_of(const Refusal& refusal);

/// The first that is one.
[[nodiscard]] std::string first_reason(std::initializer_list<std::string> reasons);

/// Bytes in the shared memory of a block for an array that is read so far, whose next one begins on 16.
[[nodiscard]] std::size_t shared_bytes(const TileFamily& family, const ShapeParameters& of, Reach reach,
                                       Precision precision);

/// Why no GPU runs blocks of so many threads with so much shared memory.
[[nodiscard]] std::string why_no_block(Extent3 threads, std::size_t shared_bytes);

}  // namespace minimod
