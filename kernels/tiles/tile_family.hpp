/// What the families of tiled kernels have in common, those of the wave equation (shape_family.hpp) and those
/// of specifications (src/stencil/kernel_family.hpp): how names say their tiles, how threads share a tile,
/// what no GPU runs.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/shape.hpp"

namespace minimod {

struct TileFamily {
  const char* name;
  TileForm form;
  Extent3 (*block)(const ShapeParameters& of, bool damps);
  VectorWidths vectors = {};
  const char* usual_tile = nullptr;  ///< of the kernel that the bare name stands for; null: of none
  bool marches = false;              ///< along z, plane by plane of a slice, or, without one, of the grid
  TriedTiles tried = {};             ///< in place of the extents that a search takes for the form
  FamilyNames names = {};            ///< that are read in place of `name`

  /// Of a block, of the kernel that damps or the one that does not.
  [[nodiscard]] constexpr Extent3 threads(const ShapeParameters& of, bool damps = false) const {
    return block(of, damps);
  }
};

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

// ---- refusals: reasons with their limits, empty where there is none ----

[[nodiscard]] std::string text_of(const Refusal& refusal);

/// The first that is one.
[[nodiscard]] std::string first_reason(std::initializer_list<std::string> reasons);

/// Why no GPU runs blocks of so many threads with so much shared memory.
[[nodiscard]] std::string why_no_block(Extent3 threads, std::size_t shared_bytes);

}  // namespace minimod
