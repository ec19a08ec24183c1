#include "src/stencil/kernel_family.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/in_plane.hpp"
#include "kernels/shapes/red_black.hpp"
#include "kernels/shapes/register_tiled.hpp"
#include "kernels/shapes/smem_u.hpp"
#include "kernels/stencils/tutorial/coarsened.hpp"
#include "kernels/stencils/tutorial/naive.hpp"
#include "kernels/stencils/tutorial/register_tiled.hpp"
#include "kernels/stencils/tutorial/tiled.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"

namespace minimod::stencil {

// ---- The families

/// Equations by which templates are asked for their facts.
struct OnAxes : StarSums<InnerUpdate<float>> {
  static constexpr bool reads_corners_off_plane = false;
};
struct WithCorners : OnAxes {
  static constexpr bool reads_corners_off_plane = true;
};

namespace {

/// A family by its usual shape, and what it is where corners off the plane are read.
template <class Usual, class OfCorners = Usual>
constexpr StencilFamily family(const char* name, const char* summary, const char* tutorial_header = nullptr) {
  StencilFamily made{family_of<Usual>(), family_of<OfCorners>(), summary, tutorial_header};
  made.name = name;
  if (tutorial_header != nullptr) made.template_name = name + std::string_view("tutorial_").size();
  made.usual = parameters_of<Usual>();
  return made;
}
template <template <class, int...> class Family, int... Tile>
constexpr StencilFamily family(const char* name, const char* summary) {
  return family<Family<OnAxes, Tile...>, Family<WithCorners, Tile...>>(name, summary);
}

/// Without a tile.
struct Rows : ShapeDefaults {
  static constexpr const char* family = "rows";
  static constexpr Extent3 tile{1, 1, 1}, threads = tile;
};

/// A step of the tutorial, by what the Block of its header has. D = 0: of a plane.
template <class Block, bool Marches, int W, int H, int D>
struct Step : ShapeDefaults {
  static constexpr const char* family = "";
  static constexpr Extent3 tile{W, H, D > 0 ? D : 1}, threads = Block::threads(tile);
  static constexpr bool is_plane = D == 0, marches_slices = Marches;
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind) {
    return Block::threads(of.tile);
  }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach) {
    return Block::shared_floats(of.tile);
  }
};

constexpr auto families = std::to_array<StencilFamily>({
    family<Rows>("rows", "of a CPU's cores: rows of points in vectors; speed without a GPU"),
    family<Naive, 64, 4, 2>("naive", "a thread a point or vector, all values from memory"),
    family<SmemU, 32, 4, 4>("tiled", "3-D tiles with their halo in shared memory"),
    family<Coarsened, 32, 8, 32>("coarsened", "slices along z, 2R+1 planes in shared memory"),
    family<StRegShft, 32, 8>(
        "forward_plane", "along z, a plane in shared memory, columns in registers; no corners off the plane"),
    family<RegisterTiled, 32, 4, 1, 4>(
        "register_tiled", "along z, RX x RY points a thread, planes as the stencil's corners ask for"),
    family<InPlaneFull, 32, 8, 2, 1, 2>(
        "in_plane_full",
        "along z, the loaded plane alone in shared memory, sums in registers; linear equations"),
    family<RedBlack, 64, 8, 0>("red_black",
                               "points of even x + y + z, then the others, which read their new values"),
    family<Step<tutorial::NaiveBlock, false, 32, 8, 0>>("tutorial_naive", "the tutorial's first step",
                                                        "naive.hpp"),
    family<Step<tutorial::TiledBlock, false, 32, 4, 4>>("tutorial_tiled", "its second", "tiled.hpp"),
    family<Step<tutorial::CoarsenedBlock, true, 32, 8, 32>>("tutorial_coarsened", "its third",
                                                            "coarsened.hpp"),
    family<Step<tutorial::RegisterTiledBlock, true, 32, 8, 32>>("tutorial_register_tiled", "its fourth",
                                                                "register_tiled.hpp"),
});

const TileFamily& family_for(const StencilFamily& family, const Facts& facts) {
  return facts.reads_corners_off_plane ? family.with_corners : family;
}

/// Reason why a family cannot compute a stencil, empty where it can.
std::string family_refusal(const TileFamily& family, const Facts& facts) {
  if (!family.takes_corners_off_plane && facts.reads_corners_off_plane)
    return "it reads corners off the plane, which are in no register";
  if (family.needs_sums_by_plane && !facts.is_linear)
    return "its equations are no sums of values times weights";
  return "";
}

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

/// Reason why a kernel of the tutorial cannot compute a stencil, empty where it can.
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
  if (family->is_of_cores()) return family->name;
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
  if (!found || (found->family->is_of_cores() && name != found->family->name)) return std::nullopt;
  return KernelName{found->family, found->parameters, read_only};
}

KernelName parse_kernel_name(std::string_view name) {
  if (const auto kernel = find_kernel_name(name)) return *kernel;
  std::vector<std::string> namings;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || family.is_of_cores()) continue;
    namings.push_back(shape_name(family.name, *family.usual, family.vectors.unnamed));
  }
  throw Error(ErrorKind::parameter,
              minimod::text("no kernel of a stencil is named '", escaped(name, 40), "'"),
              minimod::text("give a name as ", joined(namings), ", any with _ro, or rows"));
}

std::vector<KernelName> parse_kernel_names(std::string_view names, UsualKernels usual) {
  std::vector<std::string> usual_names;
  for (const StencilFamily& family : families) {
    if (!is_for_all_stencils(family) || (family.is_of_cores() && usual == UsualKernels::of_gpu)) continue;
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
  const TileFamily& its = family_for(*family, facts);
  const int radius = depth_z(facts.reach) / 2;
  return first_reason({family_refusal(its, facts), text_of(its.refusal(of, radius)),
                       family->sweep() == Sweep::red_black ? red_black_refusal(specification, facts) : "",
                       is_for_all_stencils(*family) ? "" : tutorial_refusal(kernel, specification),
                       why_no_block(family->threads(of), shared_bytes(kernel, specification))});
}

std::size_t shared_bytes(const KernelName& kernel, const Specification& specification) {
  const Facts facts = facts_of(specification);
  const TileFamily& its = family_for(*kernel.family, facts);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    bytes += minimod::shared_bytes(its, kernel.parameters, facts.arrays[i].reach,
                                   specification.arrays[i].precision);
  }
  return bytes;
}

std::string type_text(const KernelName& kernel, const char* equations, std::string_view launch) {
  const auto& [family, of, read_only] = kernel;
  return is_for_all_stencils(*family) ? "minimod::" + minimod::type_text(*family, of, equations, launch)
                                      : "minimod::tutorial::" + minimod::type_text(*family, of, "", launch);
}

Extent3 blocks_of(const KernelName& kernel, Extent3 n) {
  Extent3 tile = kernel.parameters.tile;  // without an extent along z it marches all of it
  if (!kernel.family->marches && tile.z == 0) tile.z = 1;
  return blocks_covering(n, tile);
}

void require(const KernelName& kernel, const Specification& specification) {
  if (const std::string why = why_not(kernel, specification); !why.empty()) {
    throw Error(ErrorKind::parameter,
                text(escaped(specification.name, 40), " has no kernel ", kernel.text(), ": ", why),
                "take another tile or family");
  }
}

}  // namespace minimod::stencil
