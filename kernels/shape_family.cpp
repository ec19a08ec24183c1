#include "kernels/shape_family.hpp"

#include <algorithm>
#include <array>

#include "kernels/shape_list.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

using Of = const ShapeParameters&;

// ---- threads of a block ----

constexpr Extent3 thread_a_vector(Of of, bool damps) {
  return {of.tile.x / 4, of.tile.y / (damps ? 1 : 2), 1};
}

// ---- shared memory of a block ----

std::size_t points_in(int x, int y, int z = 1) {
  return static_cast<std::size_t>(Extent3{x, y, z}.points());
}
std::size_t plane_with_halo(Of of, int r) {
  return points_in(of.tile.x + 2 * r, of.tile.y + 2 * r);
}
std::size_t nothing_shared(Of, int) {
  return 0;
}
std::size_t tile_with_halo(Of of, int r) {
  return points_in(of.tile.x + 2 * r, of.tile.y + 2 * r, of.tile.z + 2 * r);
}
std::size_t eta_tile(Of of, int) {
  return tile_with_halo(of, 1);
}
std::size_t three_half_sums(Of of, int) {
  return 3 * points_in(of.tile.x, of.tile.y, of.tile.z);
}
std::size_t planes_of_star(Of of, int r) {
  return (2 * r + 1) * plane_with_halo(of, r);
}
std::size_t two_planes(Of of, int r) {
  return 2 * plane_with_halo(of, r);
}
std::size_t plane_and_half_sums(Of of, int r) {
  return plane_with_halo(of, r) + 2 * points_in(of.tile.x, of.tile.y);
}
std::size_t rows_with_halo(Of of, int r) {
  return points_in(of.tile.x, of.tile.y + 2 * r);
}
std::size_t plane_of_vectors(Of of, int r) {
  return static_cast<std::size_t>(window_values(of, r));
}
std::size_t window_of_planes(Of of, int r) {
  return points_in(of.tile.x + 8, of.tile.y + 2 * r, 2 * r + 3);
}

// ---- what a family cannot do ----

std::string long_enough(Extent3 least, Of of) {
  const auto axis = [](int extent, int limit, const char* name) {
    return extent < limit ? text("its tile is ", extent, " long along ", name, ", at least ", limit) : "";
  };
  return first_reason(
      {axis(of.tile.x, least.x, "x"), axis(of.tile.y, least.y, "y"), axis(of.tile.z, least.z, "z")});
}

std::string any_tile(Of, int) {
  return "";
}
std::string short_column(Of of, int) {
  return too_many_points_a_thread(of.tile.z);
}
/// The first threads of each axis fetch the halo.
std::string halo_by_rows(Of of, int r) {
  return long_enough({r, r, 0}, of);
}
std::string halo_by_rows_along_y(Of of, int r) {
  return long_enough({0, r, 0}, of);
}
/// Both sides of it at once.
std::string halo_of_cube(Of of, int r) {
  return long_enough({2 * r, 2 * r, 2 * r}, of);
}
std::string eta_halo(Of of, int) {
  return long_enough({2, 2, 2}, of);
}
std::string six_planes_of_cube(Of of, int) {
  if (of.tile.x != of.tile.y || of.tile.y != of.tile.z) return "its tile is no cube";
  return long_enough({6, 6, 6}, of);
}
std::string whole_register_tiles(Of of, int) {
  return first_reason({why_no_register_tiles(of), why_no_vector(of.vector_width)});
}
std::string whole_vectors(Of of, int r) {
  constexpr int most_copies = 32;  // a thread's, in the bits of a word
  if (r != 4) return text("its radius is ", r, ", 4 alone may be");
  if (of.tile.x % 4 != 0 || of.tile.y % 2 != 0) return "its tile is no multiple of 4x2 points";
  const Extent3 threads = thread_a_vector(of, false);
  const auto copies = ceil_div((of.tile.x / 4 + 2) * (of.tile.y + 2 * r), static_cast<int>(threads.points()));
  return copies <= most_copies ? "" : text("a thread has ", copies, " copies, at most ", most_copies);
}

constexpr TileFamily in_planes(const char* name) {
  return {name, TileForm::plane, thread_a_column};
}
constexpr TileFamily in_volumes(const char* name) {
  return {name, TileForm::volume, thread_a_point};
}
constexpr TileFamily in_columns(const char* name) {
  return {name, TileForm::volume, thread_a_column};
}
constexpr TileFamily in_vectors(const char* name) {
  return {name, TileForm::volume, thread_a_vector};
}
constexpr TileFamily in_registers(const char* name) {
  return {name, TileForm::register_tiles, thread_a_register_tile, vectors_of_2_or_4};
}

constexpr auto lines = std::to_array<ShapeFamily>({
    {in_volumes("gmem"), "Gmem", "gmem.hpp", nothing_shared, any_tile},
    {in_columns("gmem_column"), "GmemColumn", "gmem_column.hpp", nothing_shared, short_column},
    {in_volumes("smem_u"), "SmemU", "smem_u.hpp", tile_with_halo, halo_of_cube},
    {in_volumes("smem_eta_1"), "SmemEta1", "smem_eta.hpp", eta_tile, six_planes_of_cube},
    {in_volumes("smem_eta_3"), "SmemEta3", "smem_eta.hpp", eta_tile, eta_halo},
    {in_volumes("semi"), "Semi", "semi.hpp", three_half_sums, any_tile},
    {in_planes("st_smem"), "StSmem", "st_smem.hpp", planes_of_star, halo_by_rows},
    {in_columns("coarsened"), "Coarsened", "st_smem.hpp", planes_of_star, halo_by_rows},
    {in_planes("st_reg_shft"), "StRegShft", "st_reg.hpp", plane_with_halo, halo_by_rows},
    {in_planes("st_reg_shft_db"), "StRegShftDb", "st_reg.hpp", two_planes, halo_by_rows},
    {in_planes("st_reg_fixed"), "StRegFixed", "st_reg.hpp", plane_with_halo, halo_by_rows},
    {in_planes("st_reg_fixed_db"), "StRegFixedDb", "st_reg.hpp", two_planes, halo_by_rows},
    {in_planes("st_semi"), "StSemi", "st_semi.hpp", plane_and_half_sums, halo_by_rows},
    {in_planes("smem_partial"), "SmemPartial", "smem_partial.hpp", rows_with_halo, halo_by_rows_along_y},
    {in_vectors("st_window"), "StWindow", "st_window.hpp", window_of_planes, whole_vectors, 3, false},
    {in_registers("in_plane_vertical"), "InPlaneVertical", "in_plane.hpp", plane_of_vectors,
     whole_register_tiles},
    {in_registers("in_plane_horizontal"), "InPlaneHorizontal", "in_plane.hpp", plane_of_vectors,
     whole_register_tiles},
    {in_registers("in_plane_full"), "InPlaneFull", "in_plane.hpp", plane_of_vectors, whole_register_tiles},
});

// ---- the lines with what the templates say ----

constexpr std::size_t line_of(std::string_view family) {
  std::size_t i = 0;
  while (i < lines.size() && family != lines[i].name) ++i;
  return i;
}

/// The line of a shape of shape_list.hpp; where one of these does not hold, the compiler names its template.
template <class Shape>
struct LineOfFamily {
  static constexpr std::size_t number = line_of(Shape::family);
  static_assert(number < lines.size(),
                "this family has no line in `lines` of kernels/shape_family.cpp: add {in_planes, in_volumes, "
                "in_columns or in_registers of its name, template, header (all in quotes), shared values, "
                "what it cannot do},");
  static constexpr ShapeParameters parameters{Shape::tile, Shape::points_per_thread, Shape::vector_width};
  static_assert(
      number == lines.size() || lines[number % lines.size()].threads(parameters, false) == Shape::threads,
      "the family's line in kernels/shape_family.cpp has blocks of other threads than its template");
};

template <class... Entries>
constexpr auto with_facts(TypeList<Entries...>) {
  std::array families = lines;
  const auto add = [&]<class Entry>() {
    using Inner = typename Entry::template Body<InnerUpdate<float>>;
    ShapeFamily& family = families[LineOfFamily<Inner>::number % families.size()];
    family.marches = Inner::marches_slices || family.form != TileForm::volume;
    family.tried = Inner::tried;
    family.star_loads = &Inner::star_loads;
    family.loaded_values = &Inner::loaded_values;
    family.more_operations = &Inner::more_operations;
  };
  (add.template operator()<Entries>(), ...);
  return families;
}

constexpr auto families = with_facts(ShapeList{});

/// Whether each line is of a shape in the list. Pointers to its facts would say so, too, but with
/// -fsanitize=undefined GCC 12 takes no comparison of a function's address for a constant.
template <class... Entries>
constexpr bool all_lines_have_shapes(TypeList<Entries...>) {
  std::array<bool, lines.size()> have{};
  ((have[LineOfFamily<typename Entries::template Body<InnerUpdate<float>>>::number % have.size()] = true),
   ...);
  return std::ranges::find(have, false) == have.end();
}
static_assert(all_lines_have_shapes(ShapeList{}),
              "a line of `lines` has no shape in kernels/shape_list.hpp: add Tiled<Template, a tile>");

}  // namespace

std::span<const ShapeFamily> shape_families() {
  return families;
}

const ShapeFamily* find_family(std::string_view name) {
  const auto found = std::ranges::find(families, name, &ShapeFamily::name);
  return found != families.end() ? &*found : nullptr;
}

std::optional<NamedShape> parse_shape_name(std::string_view name) {
  return parse_tiled_name(name, shape_families());
}

std::string why_impossible(const NamedShape& shape, int radius, Precision precision) {
  const auto& [family, of] = shape;
  if (precision == Precision::float64 && !family->takes_double) return "its values are floats";
  const std::size_t bytes = family->shared_values(of, radius) * bytes_of(precision);
  return first_reason({family->refusal(of, radius), why_no_block(family->threads(of), bytes),
                       why_no_block(family->threads(of, true), bytes)});
}

Extent3 blocks_over(const NamedShape& shape, const Box3& box) {
  const Extent3 n = box.extent();
  return blocks_covering({n.x + shape.family->points_before, n.y, n.z}, shape.parameters.tile);
}

std::string type_text(const NamedShape& shape, std::string_view update) {
  const auto& [family, of] = shape;
  std::string arguments = text(of.tile.x, ", ", of.tile.y);
  if (family->form == TileForm::volume) arguments += text(", ", of.tile.z);
  if (family->form == TileForm::register_tiles) {
    const Extent3 threads = family->threads(of, false), points = of.points_per_thread;
    arguments = text(threads.x, ", ", threads.y, ", ", points.x, ", ", points.y, ", ", of.vector_width);
  }
  return text(family->type, '<', update, ", ", arguments, '>');
}

}  // namespace minimod
