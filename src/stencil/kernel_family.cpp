#include "src/stencil/kernel_family.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/planes_ahead.hpp"
#include "kernels/shapes/smem_u.hpp"
#include "kernels/shapes/st_reg.hpp"
#include "kernels/shapes/st_smem.hpp"
#include "kernels/stencils/tutorial/coarsened.hpp"
#include "kernels/stencils/tutorial/naive.hpp"
#include "kernels/stencils/tutorial/register_tiled.hpp"
#include "kernels/stencils/tutorial/tiled.hpp"
#include "kernels/update.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod::stencil {
namespace {

using Parameters = ShapeParameters;

// ---- What arrays ask for

/// Whether a point beside the plane is read that does not stand above or below the point itself.
bool reads_corners_off_plane(const Facts& facts) {
  return std::ranges::any_of(facts.arrays, [](const ArrayFacts& array) {
    return std::ranges::any_of(array.offsets,
                               [](Index3 at) { return at.z != 0 && (at.x != 0 || at.y != 0); });
  });
}

// ---- Threads

Extent3 thread_a_vector(const Parameters& of, bool) {
  return {of.tile.x / of.vector_width, of.tile.y, 1};
}
Extent3 thread_a_pair(const Parameters& of, bool) {
  return {of.tile.x / 2, of.tile.y, 1};
}

// ---- Shared memory

std::size_t none_shared(const Parameters&, const Specification&, const Facts&) {
  return 0;
}
/// Of all arrays that the family stages, each from a 16-byte place on.
template <class Shape>
std::size_t shared_of(const Parameters& of, const Specification& specification, const Facts& facts) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    const Reach reach = facts.arrays[i].reach;
    if (!is_beside(reach) || !Shape::stages(reach)) continue;
    const auto values = static_cast<std::size_t>(Shape::shared_values(of, reach));
    bytes += (values * bytes_of(specification.arrays[i].precision) + 15) / 16 * 16;
  }
  return bytes;
}
using AnyEquation = InnerUpdate<float>;
constexpr auto planes_shared = shared_of<StSmem<AnyEquation, 8, 8>>;
using AnyGmem = Gmem<AnyEquation, 8, 8, 8>;
using AnySmemU = SmemU<AnyEquation, 8, 8, 8>;
using AnyStRegShft = StRegShft<AnyEquation, 8, 8>;
constexpr auto plane_shared = shared_of<AnyStRegShft>;
std::size_t by_corners_shared(const Parameters& of, const Specification& specification, const Facts& facts) {
  return (reads_corners_off_plane(facts) ? planes_shared : plane_shared)(of, specification, facts);
}

// ---- Blocks of the tutorial's steps, of which their headers say what they have

template <class Block>
Extent3 threads_of_step(const Parameters& of, bool) {
  return Block::threads(of.tile);
}
template <class Block>
std::size_t shared_of_step(const Parameters& of, const Specification&, const Facts&) {
  return sizeof(float) * Block::shared_floats(of.tile);
}

// ---- What a family cannot do

std::string any_stencil(const Parameters&, const Facts&) {
  return "";
}
std::string whole_vectors(const Parameters& of, const Facts&) {
  const int v = of.vector_width;
  if (const Refusal why = why_no_vector(v)) return text_of(why);
  return of.tile.x % v == 0 ? "" : text("its tile is no multiple of ", v, " values along x");
}
std::string no_corners(const Parameters&, const Facts& facts) {
  return reads_corners_off_plane(facts) ? "it reads corners off the plane, which are in no register" : "";
}
std::string whole_threads(const Parameters& of, const Facts&) {
  return text_of(why_no_register_tiles(of));
}
std::string linear_whole_threads(const Parameters& of, const Facts& facts) {
  return first_reason({facts.is_linear ? "" : "its equations are no sums of values times weights",
                       whole_vectors(of, facts), whole_threads(of, facts)});
}
std::string even_tile(const Parameters& of, const Facts&) {
  return of.tile.x % 2 == 0 ? "" : "its tile is odd along x";
}

// ---- The families

using ThreadsOfBlock = decltype(TileFamily::block);

template <class Shape = ShapeDefaults>
constexpr TileFamily standing(const char* name, const char* usual_tile, TileForm form, ThreadsOfBlock block,
                              VectorWidths vectors = single_values) {
  return {name, form, block, vectors, usual_tile, false, {}, Shape::names};
}
template <class Shape = ShapeDefaults>
constexpr TileFamily marching(const char* name, const char* usual_tile, TileForm form, ThreadsOfBlock block,
                              VectorWidths vectors = single_values) {
  return {name, form, block, vectors, usual_tile, true, {}, Shape::names};
}

constexpr auto families = std::to_array<StencilFamily>({
    {standing("rows", "1x1x1", TileForm::volume, thread_a_point),
     "of a CPU's cores: rows of points in vectors; speed without a GPU", none_shared, "", any_stencil,
     nullptr, nullptr, Sweep::at_once, true},
    {standing<AnyGmem>("naive", "64x4_v2", TileForm::plane, thread_a_vector, values_or_vectors),
     "a thread a point or vector, all values from memory", none_shared,
     "minimod::Gmem<{equations}, {x}, {y}, 1, {v}", whole_vectors},
    {standing<AnySmemU>("tiled", "32x4x4", TileForm::volume, thread_a_point),
     "3-D tiles with their halo in shared memory", shared_of<AnySmemU>,
     "minimod::SmemU<{equations}, {x}, {y}, {z}", any_stencil},
    {marching("coarsened", "32x8x32", TileForm::volume, thread_a_column),
     "slices along z, 2R+1 planes in shared memory", planes_shared,
     "minimod::Coarsened<{equations}, {x}, {y}, {z}", any_stencil},
    {marching<AnyStRegShft>("forward_plane", "32x8", TileForm::plane, thread_a_column),
     "along z, a plane in shared memory, columns in registers; no corners off the plane", plane_shared,
     "minimod::StRegShft<{equations}, {x}, {y}", no_corners},
    {marching("register_tiled", "32x16_r1x4", TileForm::register_tiles, thread_a_register_tile),
     "along z, RX x RY points a thread, planes as the stencil's corners ask for", by_corners_shared,
     "minimod::StRegShft<{equations}, {x}, {y}, {rx}, {ry}", whole_threads,
     "minimod::SharedPlanes<{equations}, {x}, {y}, 0, {rx}, {ry}"},
    {marching("in_plane_full", "64x8_r2x1_v2", TileForm::register_tiles, thread_a_register_tile,
              values_or_vectors),
     "along z, the loaded plane alone in shared memory, sums in registers; linear equations",
     shared_of<PlanesAhead<AnyEquation, 8, 8, 1, 1, 1>>,
     "minimod::InPlaneFull<{equations}, {tx}, {ty}, {rx}, {ry}, {v}", linear_whole_threads},
    {standing("red_black", "64x8", TileForm::plane, thread_a_pair),
     "points of even x + y + z, then the others, which read their new values", none_shared,
     "minimod::RedBlack<{equations}, {x}, {y}", even_tile, nullptr, nullptr, Sweep::red_black},
    {standing("tutorial_naive", "32x8", TileForm::plane, threads_of_step<tutorial::NaiveBlock>),
     "the tutorial's first step", shared_of_step<tutorial::NaiveBlock>, "minimod::tutorial::Naive<{x}, {y}",
     any_stencil, nullptr, "naive.hpp"},
    {standing("tutorial_tiled", "32x4x4", TileForm::volume, threads_of_step<tutorial::TiledBlock>),
     "its second", shared_of_step<tutorial::TiledBlock>, "minimod::tutorial::Tiled<{x}, {y}, {z}",
     any_stencil, nullptr, "tiled.hpp"},
    {marching("tutorial_coarsened", "32x8x32", TileForm::volume, threads_of_step<tutorial::CoarsenedBlock>),
     "its third", shared_of_step<tutorial::CoarsenedBlock>, "minimod::tutorial::Coarsened<{x}, {y}, {z}",
     any_stencil, nullptr, "coarsened.hpp"},
    {marching("tutorial_register_tiled", "32x8x32", TileForm::volume,
              threads_of_step<tutorial::RegisterTiledBlock>),
     "its fourth", shared_of_step<tutorial::RegisterTiledBlock>,
     "minimod::tutorial::RegisterTiled<{x}, {y}, {z}", any_stencil, nullptr, "register_tiled.hpp"},
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
  if (has_arrays_in(specification, Precision::float64)) return "it is written for single precision";
  return kernel.read_only ? "it has no read-only path" : "";
}

constexpr std::string_view read_only_suffix = "_ro";

}  // namespace

std::span<const StencilFamily> stencil_families() {
  return families;
}

std::string KernelName::text() const {
  if (family->is_of_cores) return family->name;
  return shape_name(family->name, parameters, family->vectors.unnamed) +
         std::string(read_only ? read_only_suffix : "");
}

std::string KernelName::family_text() const {
  return family->name + std::string(read_only ? read_only_suffix : "");
}

std::optional<KernelName> find_kernel_name(std::string_view name) {
  const bool read_only = name.ends_with(read_only_suffix);
  const std::string_view before = name.substr(0, name.size() - (read_only ? read_only_suffix.size() : 0));
  const auto found = parse_tiled_name(before, stencil_families());
  if (!found || (found->family->is_of_cores && name != found->family->name)) return std::nullopt;
  return KernelName{found->family, found->parameters, read_only};
}

KernelName parse_kernel_name(std::string_view name) {
  if (const auto kernel = find_kernel_name(name)) return *kernel;
  std::vector<std::string> namings;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || family.is_of_cores) continue;
    namings.push_back(minimod::text(family.name, '_', family.usual_tile));
  }
  throw Error(ExitCode::usage, minimod::text("no kernel of a stencil is named '", escaped(name, 40), "'"),
              minimod::text("give a name as ", joined(namings), ", any with _ro, or rows"));
}

std::vector<KernelName> parse_kernel_names(std::string_view names, UsualKernels usual) {
  std::vector<std::string> usual_names;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || (family.is_of_cores && usual == UsualKernels::of_gpu)) continue;
    usual_names.push_back(parse_kernel_name(family.name).text());
    if (usual == UsualKernels::of_gpu)
      usual_names.push_back(usual_names.back() + std::string(read_only_suffix));
  }
  std::vector<KernelName> kernels;
  const auto registered = [](std::string_view name) { return as_registered(name, stencil_families()); };
  for (const std::string& name : matching(joined(split(names, ','), ",", registered), usual_names)) {
    const KernelName kernel = parse_kernel_name(name);
    if (std::ranges::find(kernels, kernel.text(), &KernelName::text) == kernels.end())
      kernels.push_back(kernel);
  }
  return kernels;
}

std::string why_not(const KernelName& kernel, const Specification& specification) {
  const auto& [family, of, read_only] = kernel;
  const Facts facts = facts_of(specification);
  return first_reason({family->refusal(of, facts),
                       family->sweep == Sweep::red_black ? red_black_refusal(specification, facts) : "",
                       is_for_all_stencils(*family) ? "" : tutorial_refusal(kernel, specification),
                       why_no_block(family->threads(of), family->shared_bytes(of, specification, facts))});
}

std::string type_text(const KernelName& kernel, const char* equations, const Facts& facts) {
  const StencilFamily& family = *kernel.family;
  const auto& [tile, points, width] = kernel.parameters;
  const Extent3 threads = family.threads(kernel.parameters);
  const bool is_of_corners = family.type_with_corners != nullptr && reads_corners_off_plane(facts);
  std::string type = is_of_corners ? family.type_with_corners : family.type;
  const std::pair<std::string_view, std::string> values[] = {
      {"{equations}", equations},          {"{x}", std::to_string(tile.x)},
      {"{y}", std::to_string(tile.y)},     {"{z}", std::to_string(tile.z)},
      {"{tx}", std::to_string(threads.x)}, {"{ty}", std::to_string(threads.y)},
      {"{rx}", std::to_string(points.x)},  {"{ry}", std::to_string(points.y)},
      {"{v}", std::to_string(width)}};
  for (const auto& [word, value] : values) {
    const std::size_t at = type.find(word);
    if (at != std::string::npos) type.replace(at, word.size(), value);
  }
  return type;
}

Extent3 blocks_of(const KernelName& kernel, Extent3 n) {
  Extent3 tile = kernel.parameters.tile;  // without an extent along z it marches all of it
  if (!kernel.family->marches && tile.z == 0) tile.z = 1;
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
