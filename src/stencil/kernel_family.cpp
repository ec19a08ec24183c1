#include "src/stencil/kernel_family.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/stencils/tutorial/coarsened.hpp"
#include "kernels/stencils/tutorial/naive.hpp"
#include "kernels/stencils/tutorial/register_tiled.hpp"
#include "kernels/stencils/tutorial/tiled.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod::stencil {
namespace {

using Parameters = ShapeParameters;

/// Values of a vector where a name says none.
constexpr int single_values = 1;

// ---- What arrays ask for

/// Whether a point beside the plane is read that does not stand above or below the point itself.
bool reads_corners_off_plane(const Facts& facts) {
  return std::ranges::any_of(facts.arrays, [](const ArrayFacts& array) {
    return std::ranges::any_of(array.offsets,
                               [](Index3 at) { return at.z != 0 && (at.x != 0 || at.y != 0); });
  });
}

/// Of all arrays that are read beside the point: each has points_of(its reach) values, from a 16-byte place
/// on.
std::size_t bytes_staged(const Specification& specification, const Facts& facts, bool (*is_staged)(Reach),
                         const auto& points_of) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    const Reach reach = facts.arrays[i].reach;
    if (!is_staged(reach)) continue;
    const std::size_t its = points_of(reach) * bytes_of(specification.arrays[i].precision);
    bytes += (its + 15) / 16 * 16;
  }
  return bytes;
}

std::size_t plane_points(const Parameters& of, Reach reach) {
  return static_cast<std::size_t>(of.tile.x - 1 + depth_x(reach)) *
         static_cast<std::size_t>(of.tile.y - 1 + depth_y(reach));
}

// ---- Threads

Extent3 thread_of_plane(const Parameters& of) {
  return {of.tile.x, of.tile.y, 1};
}
Extent3 thread_of_vector(const Parameters& of) {
  return {of.tile.x / of.vector_width, of.tile.y, 1};
}
Extent3 thread_of_volume(const Parameters& of) {
  return of.tile;
}
Extent3 thread_of_points(const Parameters& of) {
  return {of.tile.x / of.points_per_thread.x, of.tile.y / of.points_per_thread.y, 1};
}

Extent3 thread_of_pairs(const Parameters& of) {
  return {of.tile.x / 2, of.tile.y, 1};
}

// ---- Shared memory

std::size_t none_shared(const Parameters&, const Specification&, const Facts&) {
  return 0;
}
std::size_t tile_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  return bytes_staged(specification, facts, is_beside, [&](Reach reach) {
    return plane_points(of, reach) * static_cast<std::size_t>(of.tile.z - 1 + depth_z(reach));
  });
}
std::size_t planes_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  return bytes_staged(specification, facts, is_beside, [&](Reach reach) {
    return plane_points(of, reach) * static_cast<std::size_t>(depth_z(reach));
  });
}
std::size_t plane_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  return bytes_staged(specification, facts, is_beside_in_plane,
                      [&](Reach reach) { return plane_points(of, reach); });
}
/// Of as many planes as stand in shared memory or are on their way there, in whole vectors.
std::size_t ring_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  constexpr int planes = 4;
  return bytes_staged(specification, facts, is_beside_in_plane, [&](Reach reach) {
    const auto whole = [v = of.vector_width](int values) { return ceil_div(values, v) * v; };
    const int pitch = whole(reach.lower.x) + of.tile.x + whole(reach.upper.x);
    return static_cast<std::size_t>(Extent3{pitch, of.tile.y - 1 + depth_y(reach), planes}.points());
  });
}
std::size_t by_corners_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  return (reads_corners_off_plane(facts) ? planes_shared : plane_shared)(of, specification, facts);
}

// ---- Blocks of the tutorial's steps, of which their headers say what they have

template <class Block>
Extent3 threads_of_step(const Parameters& of) {
  return Block::threads(of.tile);
}
template <class Block>
std::size_t shared_of_step(const Parameters& of, const Specification&, const Facts&) {
  return sizeof(float) * Block::shared_floats(of.tile);
}

// ---- Templates

std::string naive_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::Gmem<", equations, ", ", of.tile.x, ", ", of.tile.y, ", 1, ", of.vector_width);
}
std::string tiled_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::SmemU<", equations, ", ", of.tile.x, ", ", of.tile.y, ", ", of.tile.z);
}
std::string coarsened_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::stencil::SharedPlanes<", equations, ", ", of.tile.x, ", ", of.tile.y, ", ", of.tile.z,
              ", 1, 1");
}
std::string forward_plane_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::stencil::PlaneAndColumns<", equations, ", ", of.tile.x, ", ", of.tile.y, ", 1, 1");
}
std::string in_plane_full_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::stencil::InPlaneFull<", equations, ", ", of.tile.x, ", ", of.tile.y, ", ",
              of.points_per_thread.x, ", ", of.points_per_thread.y, ", ", of.vector_width);
}
std::string register_tiled_type(const char* equations, const Parameters& of, const Facts& facts) {
  return text("minimod::stencil::", reads_corners_off_plane(facts) ? "SharedPlanes" : "PlaneAndColumns", '<',
              equations, ", ", of.tile.x, ", ", of.tile.y, reads_corners_off_plane(facts) ? ", 0, " : ", ",
              of.points_per_thread.x, ", ", of.points_per_thread.y);
}
std::string red_black_type(const char* equations, const Parameters& of, const Facts&) {
  return text("minimod::stencil::RedBlack<", equations, ", ", of.tile.x, ", ", of.tile.y);
}
std::string tutorial_naive_type(const char*, const Parameters& of, const Facts&) {
  return text("minimod::tutorial::Naive<", of.tile.x, ", ", of.tile.y);
}
std::string tutorial_tiled_type(const char*, const Parameters& of, const Facts&) {
  return text("minimod::tutorial::Tiled<", of.tile.x, ", ", of.tile.y, ", ", of.tile.z);
}
std::string tutorial_coarsened_type(const char*, const Parameters& of, const Facts&) {
  return text("minimod::tutorial::Coarsened<", of.tile.x, ", ", of.tile.y, ", ", of.tile.z);
}
std::string tutorial_register_tiled_type(const char*, const Parameters& of, const Facts&) {
  return text("minimod::tutorial::RegisterTiled<", of.tile.x, ", ", of.tile.y, ", ", of.tile.z);
}

// ---- What a family cannot do

std::string any_stencil(const Parameters&, const Facts&) {
  return "";
}
std::string whole_vectors(const Parameters& of, const Facts&) {
  const int v = of.vector_width;
  if (std::string why = why_no_vector(v); !why.empty()) return why;
  return of.tile.x % v == 0 ? "" : text("its tile is no multiple of ", v, " values along x");
}
std::string no_corners(const Parameters&, const Facts& facts) {
  return reads_corners_off_plane(facts) ? "it reads corners off the plane, which are in no register" : "";
}
std::string whole_threads(const Parameters& of, const Facts&) {
  const Extent3 points = of.points_per_thread;
  if (of.tile.x % points.x != 0 || of.tile.y % points.y != 0) {
    return text("its tile is no multiple of ", points.x, 'x', points.y, " points a thread");
  }
  return too_many_points_a_thread(points.x * points.y);
}

std::string linear_whole_threads(const Parameters& of, const Facts& facts) {
  if (!facts.is_linear) return "its equations are no sums of values times weights";
  const std::string why = whole_vectors(of, facts);
  return why.empty() ? whole_threads(of, facts) : why;
}

std::string even_tile(const Parameters& of, const Facts&) {
  return of.tile.x % 2 == 0 ? "" : "its tile is odd along x";
}

/// A kernel of cores has no template of blocks.
std::string no_type(const char*, const Parameters&, const Facts&) {
  return "";
}

constexpr auto families = std::to_array<StencilFamily>({
    {"rows", "of a CPU's cores: rows of points in vectors; speed without a GPU", TileForm::volume, "1x1x1",
     false, thread_of_volume, none_shared, no_type, any_stencil, nullptr, Sweep::at_once, false, true},
    {"naive", "a thread a point or vector, all values from memory", TileForm::plane, "64x4_v2", false,
     thread_of_vector, none_shared, naive_type, whole_vectors, nullptr, Sweep::at_once, true},
    {"tiled", "3-D tiles with their halo in shared memory", TileForm::volume, "32x4x4", false,
     thread_of_volume, tile_shared, tiled_type, any_stencil},
    {"coarsened", "slices along z, 2R+1 planes in shared memory", TileForm::volume, "32x8x32", true,
     thread_of_plane, planes_shared, coarsened_type, any_stencil},
    {"forward_plane", "along z, a plane in shared memory, columns in registers; no corners off the plane",
     TileForm::plane, "32x8", true, thread_of_plane, plane_shared, forward_plane_type, no_corners},
    {"register_tiled", "along z, RX x RY points a thread, planes as the stencil's corners ask for",
     TileForm::register_tiles, "32x16_r1x4", true, thread_of_points, by_corners_shared, register_tiled_type,
     whole_threads},
    {"in_plane_full", "along z, the loaded plane alone in shared memory, sums in registers; linear equations",
     TileForm::register_tiles, "64x8_r2x1_v2", true, thread_of_points, ring_shared, in_plane_full_type,
     linear_whole_threads, nullptr, Sweep::at_once, true},
    {"red_black", "points of even x + y + z, then the others, which read their new values", TileForm::plane,
     "64x8", false, thread_of_pairs, none_shared, red_black_type, even_tile, nullptr, Sweep::red_black},
    {"tutorial_naive", "the tutorial's first step", TileForm::plane, "32x8", false,
     threads_of_step<tutorial::NaiveBlock>, shared_of_step<tutorial::NaiveBlock>, tutorial_naive_type,
     any_stencil, "naive.hpp"},
    {"tutorial_tiled", "its second", TileForm::volume, "32x4x4", false, threads_of_step<tutorial::TiledBlock>,
     shared_of_step<tutorial::TiledBlock>, tutorial_tiled_type, any_stencil, "tiled.hpp"},
    {"tutorial_coarsened", "its third", TileForm::volume, "32x8x32", true,
     threads_of_step<tutorial::CoarsenedBlock>, shared_of_step<tutorial::CoarsenedBlock>,
     tutorial_coarsened_type, any_stencil, "coarsened.hpp"},
    {"tutorial_register_tiled", "its fourth", TileForm::volume, "32x8x32", true,
     threads_of_step<tutorial::RegisterTiledBlock>, shared_of_step<tutorial::RegisterTiledBlock>,
     tutorial_register_tiled_type, any_stencil, "register_tiled.hpp"},
});

bool is_for_all_stencils(const StencilFamily& family) {
  return family.tutorial_header == nullptr;
}

/// Why its points cannot be computed colour by colour: arrays must be taken over from outputs, and be read at
/// the point itself and at points of the other colour alone.
std::string red_black_refusal(const Specification& specification, const Facts& facts) {
  bool takes_over = false;
  for (std::size_t i = 0; i < specification.arrays.size(); ++i) {
    const int next = specification.arrays[i].next;
    if (next == Array::keeps) continue;
    takes_over = true;
    if (!specification.arrays[next].is_output) return "an input takes over what another input had";
    for (const Index3 at : facts.arrays[i].offsets) {
      if (at != Index3{} && (at.x + at.y + at.z) % 2 == 0) return "it reads points of their own colour";
    }
  }
  return takes_over ? "" : "no input takes over an output";
}

/// What a kernel of the tutorial cannot do.
std::string tutorial_refusal(const KernelName& kernel, const Specification& specification) {
  if (specification.name != tutorial_stencil) return text("it is written for ", tutorial_stencil);
  if (std::ranges::find(specification.arrays, Precision::float64, &Array::precision) !=
      specification.arrays.end()) {
    return "it is written for single precision";
  }
  return kernel.read_only ? "it has no read-only path" : "";
}

constexpr std::string_view read_only_suffix = "_ro";

}  // namespace

std::span<const StencilFamily> stencil_families() {
  return families;
}

std::string KernelName::text() const {
  if (family->is_of_cores) return family->name;
  return shape_name(family->name, parameters, single_values) + std::string(read_only ? read_only_suffix : "");
}

std::string KernelName::family_text() const {
  return family->name + std::string(read_only ? read_only_suffix : "");
}

std::optional<KernelName> find_kernel_name(std::string_view name) {
  KernelName kernel;
  kernel.read_only = name.ends_with(read_only_suffix);
  if (kernel.read_only) name.remove_suffix(read_only_suffix.size());
  for (const StencilFamily& family : families) {
    const std::string_view its = family.name;
    const bool is_bare = name == its;
    if (family.is_of_cores && (!is_bare || kernel.read_only)) continue;
    if (!is_bare && !(name.starts_with(its) && name.substr(its.size()).starts_with('_'))) continue;
    const auto tile = parse_tile(is_bare ? family.usual_tile : name.substr(its.size() + 1), family.form,
                                 {.may_be_named = family.takes_vectors, .unnamed_width = single_values});
    if (!tile) return std::nullopt;
    kernel.family = &family;
    kernel.parameters = *tile;
    return kernel;
  }
  return std::nullopt;
}

KernelName parse_kernel_name(std::string_view name) {
  if (const auto kernel = find_kernel_name(name)) return *kernel;
  std::string namings;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || family.is_of_cores) continue;
    namings += (namings.empty() ? "" : ", ") + std::string(family.name) + '_' + family.usual_tile;
  }
  throw Error(ExitCode::usage, minimod::text("no kernel of a stencil is named '", escaped(name, 40), "'"),
              minimod::text("give a name as ", namings, ", any with _ro, or rows"));
}

std::vector<KernelName> parse_kernel_names(std::string_view names, UsualKernels usual) {
  std::vector<KernelName> usual_kernels, kernels;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || (family.is_of_cores && usual == UsualKernels::of_gpu)) continue;
    usual_kernels.push_back(parse_kernel_name(family.name));
    if (usual == UsualKernels::of_host) continue;
    usual_kernels.push_back(usual_kernels.back());
    usual_kernels.back().read_only = true;
  }
  const auto add = [&](const KernelName& kernel) {
    if (std::ranges::find(kernels, kernel.text(), &KernelName::text) == kernels.end())
      kernels.push_back(kernel);
  };
  for (const std::string_view name : split(names, ',')) {
    const std::string pattern = name == "all" ? "*" : std::string(name);
    const auto matches = [&](const KernelName& kernel) { return matches_pattern(kernel.text(), pattern); };
    if (std::ranges::none_of(usual_kernels, matches)) add(parse_kernel_name(name));
    for (const KernelName& kernel : usual_kernels) {
      if (matches(kernel)) add(kernel);
    }
  }
  return kernels;
}

std::string why_not(const KernelName& kernel, const Specification& specification) {
  const auto& [family, of, read_only] = kernel;
  const Facts facts = facts_of(specification);
  if (std::string why = family->refusal(of, facts); !why.empty()) return why;
  if (family->sweep == Sweep::red_black) {
    if (std::string why = red_black_refusal(specification, facts); !why.empty()) return why;
  }
  if (!is_for_all_stencils(*family)) {
    if (std::string why = tutorial_refusal(kernel, specification); !why.empty()) return why;
  }
  return why_no_block(family->threads(of), family->shared_bytes(of, specification, facts));
}

Extent3 blocks_of(const KernelName& kernel, Extent3 n) {
  Extent3 tile = kernel.parameters.tile;  // without an extent along z it marches all of it
  if (!kernel.family->marches_z && tile.z == 0) tile.z = 1;
  return blocks_covering(n, tile);
}

void require(const KernelName& kernel, const Specification& specification) {
  if (const std::string why = why_not(kernel, specification); !why.empty()) {
    throw Error(ExitCode::usage,
                text(escaped(specification.name, 40), " has no kernel ", kernel.text(), ": ", why),
                "take another tile or family");
  }
}

}  // namespace minimod::stencil
