/// The families of kernels that a specification runs in, of what kernels/stencils/stencil_shapes.hpp says:
/// how they are named, what a block takes of a GPU, and what is refused before a compiler is called.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tiles/tile_family.hpp"
#include "src/stencil/interpreter.hpp"

namespace minimod::stencil {

struct StencilFamily : TileFamily {
  TileFamily with_corners;  ///< where an array is read at corners off the plane
  const char* summary;
  /// Header of the tutorial in kernels/stencils/tutorial: a template without equations and read-only path,
  /// for tutorial_stencil in single precision alone. Null: a family for all stencils.
  const char* tutorial_header = nullptr;
  /// Whether it is the kernel of a CPU's cores, without tiles. All others are a GPU's, whose threads a host
  /// emulates.
  [[nodiscard]] bool is_of_cores() const { return name == std::string_view("rows"); }
  /// Launches of a step: one for each colour.
  [[nodiscard]] int launches() const { return colours; }
  [[nodiscard]] Sweep sweep() const { return colours == 2 ? Sweep::red_black : Sweep::at_once; }
};

inline constexpr std::string_view tutorial_stencil = "seven_point";

[[nodiscard]] std::span<const StencilFamily> stencil_families();

/// A kernel by name: <family>[_<tile>][_v<width>][_ro], the latter for reads of inputs by the read-only path;
/// `rows` has no tile.
struct KernelName {
  const StencilFamily* family = nullptr;
  ShapeParameters parameters;
  bool read_only = false;

  [[nodiscard]] std::string text() const;
  /// Without its tile.
  [[nodiscard]] std::string family_text() const;
};

/// Nothing where it is no name.
[[nodiscard]] std::optional<KernelName> find_kernel_name(std::string_view name);
/// Error 64 where it is no name, with one of each family.
[[nodiscard]] KernelName parse_kernel_name(std::string_view name);

/// Kernels of all families for all stencils as their bare names have them.
enum class UsualKernels {
  of_host,  ///< kernels of cores, and emulated ones, to which reads by the read-only path are as all others
  of_gpu,
};

/// Kernels of a list with commas of names and of patterns of the shell, each once. Patterns match the names
/// of `usual` kernels, "all" all of them. Error 64.
[[nodiscard]] std::vector<KernelName> parse_kernel_names(std::string_view names,
                                                         UsualKernels usual = UsualKernels::of_gpu);

/// Why the specification has no such kernel on any GPU, or on the host, with the limit; empty where it may.
[[nodiscard]] std::string why_not(const KernelName& kernel, const Specification& specification);

/// Bytes of shared memory of a block, or more by what arrays of two precisions are apart.
[[nodiscard]] std::size_t shared_bytes(const KernelName& kernel, const Specification& specification);

/// The kernel's type over equations of that name. `launch`: ", 1", its number where there are several.
[[nodiscard]] std::string type_text(const KernelName& kernel, const char* equations, std::string_view launch);

/// Blocks of a launch over a grid of `n` points.
[[nodiscard]] Extent3 blocks_of(const KernelName& kernel, Extent3 n);

/// Error 64 where why_not says why.
void require(const KernelName& kernel, const Specification& specification);

}  // namespace minimod::stencil
