#include "kernels/shape_family.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "kernels/shape_list.hpp"
#include "src/base/error.hpp"

namespace minimod {

namespace {

// Of a GPU, whichever: what CUDA lets a block have, and the shared memory of the one that gives most.
constexpr int most_threads = 1024, most_threads_z = 64;
constexpr std::size_t most_shared_bytes = std::size_t{227} << 10U;
/// Beyond, the values of a thread's points are more than its registers, and compilers take minutes.
constexpr int most_points_per_thread = 32;
constexpr int longest_extent = 4096;

using Of = const ShapeParameters&;

// ---- threads of a block ----

constexpr Extent3 thread_a_point(Of of, bool) {
  return of.tile;
}
constexpr Extent3 thread_a_column(Of of, bool) {
  return {of.tile.x, of.tile.y, 1};
}
constexpr Extent3 thread_a_register_tile(Of of, bool) {
  return {of.tile.x / of.points_per_thread.x, of.tile.y / of.points_per_thread.y, 1};
}
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
  for (const std::string& why :
       {axis(of.tile.x, least.x, "x"), axis(of.tile.y, least.y, "y"), axis(of.tile.z, least.z, "z")}) {
    if (!why.empty()) return why;
  }
  return "";
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
  const Extent3 points = of.points_per_thread;
  if (of.tile.x % points.x != 0 || of.tile.y % points.y != 0) {
    return text("its tile is no multiple of ", points.x, 'x', points.y, " points a thread");
  }
  if (std::string why = why_no_vector(of.vector_width); !why.empty()) return why;
  return too_many_points_a_thread(points.x * points.y);
}
std::string whole_vectors(Of of, int r) {
  constexpr int most_copies = 32;  // a thread's, in the bits of a word
  if (r != 4) return text("its radius is ", r, ", 4 alone may be");
  if (of.tile.x % 4 != 0 || of.tile.y % 2 != 0) return "its tile is no multiple of 4x2 points";
  const Extent3 threads = thread_a_vector(of, false);
  const auto copies = ceil_div((of.tile.x / 4 + 2) * (of.tile.y + 2 * r), static_cast<int>(threads.points()));
  return copies <= most_copies ? "" : text("a thread has ", copies, " copies, at most ", most_copies);
}

constexpr auto in_planes = TileForm::plane, in_volumes = TileForm::volume,
               in_registers = TileForm::register_tiles;
constexpr auto lines = std::to_array<ShapeFamily>({
    {"gmem", "Gmem", "gmem.hpp", in_volumes, thread_a_point, nothing_shared, any_tile},
    {"gmem_column", "GmemColumn", "gmem_column.hpp", in_volumes, thread_a_column, nothing_shared,
     short_column},
    {"smem_u", "SmemU", "smem_u.hpp", in_volumes, thread_a_point, tile_with_halo, halo_of_cube},
    {"smem_eta_1", "SmemEta1", "smem_eta.hpp", in_volumes, thread_a_point, eta_tile, six_planes_of_cube},
    {"smem_eta_3", "SmemEta3", "smem_eta.hpp", in_volumes, thread_a_point, eta_tile, eta_halo},
    {"semi", "Semi", "semi.hpp", in_volumes, thread_a_point, three_half_sums, any_tile},
    {"st_smem", "StSmem", "st_smem.hpp", in_planes, thread_a_column, planes_of_star, halo_by_rows},
    {"coarsened", "Coarsened", "st_smem.hpp", in_volumes, thread_a_column, planes_of_star, halo_by_rows},
    {"st_reg_shft", "StRegShft", "st_reg_shft.hpp", in_planes, thread_a_column, plane_with_halo,
     halo_by_rows},
    {"st_reg_shft_db", "StRegShftDb", "st_reg_shft.hpp", in_planes, thread_a_column, two_planes,
     halo_by_rows},
    {"st_reg_fixed", "StRegFixed", "st_reg_fixed.hpp", in_planes, thread_a_column, plane_with_halo,
     halo_by_rows},
    {"st_reg_fixed_db", "StRegFixedDb", "st_reg_fixed.hpp", in_planes, thread_a_column, two_planes,
     halo_by_rows},
    {"st_semi", "StSemi", "st_semi.hpp", in_planes, thread_a_column, plane_and_half_sums, halo_by_rows},
    {"smem_partial", "SmemPartial", "smem_partial.hpp", in_planes, thread_a_column, rows_with_halo,
     halo_by_rows_along_y},
    {"st_window", "StWindow", "st_window.hpp", in_volumes, thread_a_vector, window_of_planes, whole_vectors,
     3, false},
    {"in_plane_vertical", "InPlaneVertical", "in_plane.hpp", in_registers, thread_a_register_tile,
     plane_of_vectors, whole_register_tiles},
    {"in_plane_horizontal", "InPlaneHorizontal", "in_plane.hpp", in_registers, thread_a_register_tile,
     plane_of_vectors, whole_register_tiles},
    {"in_plane_full", "InPlaneFull", "in_plane.hpp", in_registers, thread_a_register_tile, plane_of_vectors,
     whole_register_tiles},
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
  static_assert(
      number < lines.size(),
      "this family has no line in `lines` of kernels/shape_family.cpp: add {family, template, header "
      "(all in quotes), in_planes or in_volumes or in_registers, threads, shared values, what it cannot "
      "do},");
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
    families[LineOfFamily<Inner>::number % families.size()].facts = {
        Inner::tried, Inner::marches_slices, &Inner::star_loads, &Inner::loaded_values,
        &Inner::more_operations};
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

// ---- names ----

/// Reads a name from its beginning to its end.
class NameReader {
 public:
  explicit NameReader(std::string_view rest) : rest_(rest) {}
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// A positive number as it is printed.
  bool take(int& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{} || rest_.front() == '0' || number < 1 || number > longest_extent) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string too_many_points_a_thread(int points) {
  if (points <= most_points_per_thread) return "";
  return text("a thread has ", points, " points, at most ", most_points_per_thread);
}

std::string why_no_vector(int width) {
  if (width == 1 || width == 2 || width == 4) return "";
  return text("its vectors have ", width, " values, 1, 2 or 4 may be");
}

std::optional<ShapeParameters> parse_tile(std::string_view name, TileForm form, VectorNaming vectors) {
  NameReader reader(name);
  ShapeParameters of;
  of.vector_width = vectors.unnamed_width;
  if (!reader.take(of.tile.x) || !reader.take("x") || !reader.take(of.tile.y)) return std::nullopt;
  if (form == TileForm::volume && !(reader.take("x") && reader.take(of.tile.z))) return std::nullopt;
  if (form == TileForm::register_tiles) {
    Extent3& points = of.points_per_thread;
    if (!reader.take("_r") || !reader.take(points.x) || !reader.take("x") || !reader.take(points.y)) {
      return std::nullopt;
    }
    points.z = 1;
  }
  if (vectors.may_be_named && reader.take("_v") && !reader.take(of.vector_width)) return std::nullopt;
  return reader.is_at_end() ? std::optional(of) : std::nullopt;
}

std::string shape_name(std::string_view family, const ShapeParameters& of, int unnamed_width) {
  const Extent3 tile = of.tile, points = of.points_per_thread;
  std::string name = text(family, '_', tile.x, 'x', tile.y);
  if (tile.z > 0) name += text('x', tile.z);
  if (points.x > 0) name += text("_r", points.x, 'x', points.y);
  if (of.vector_width != unnamed_width) name += text("_v", of.vector_width);
  return name;
}

std::span<const ShapeFamily> shape_families() {
  return families;
}

const ShapeFamily* find_family(std::string_view name) {
  const auto found = std::ranges::find(families, name, &ShapeFamily::name);
  return found != families.end() ? &*found : nullptr;
}

std::optional<NamedShape> parse_shape_name(std::string_view name) {
  for (const ShapeFamily& family : families) {
    NameReader reader(name);
    if (!reader.take(family.name) || !reader.take("_")) continue;
    const auto parameters = parse_tile(name.substr(std::string_view(family.name).size() + 1), family.form,
                                       {.may_be_named = family.form == TileForm::register_tiles});
    if (parameters) return NamedShape{&family, *parameters};
  }
  return std::nullopt;
}

std::string naming(const char* family, TileForm form) {
  switch (form) {
    case TileForm::plane:
      return text(family, "_<Dx>x<Dy>");
    case TileForm::volume:
      return text(family, "_<Dx>x<Dy>x<Dz>");
    case TileForm::register_tiles:
      return text(family, "_<W>x<H>_r<RX>x<RY>[_v<V>]");
  }
  return family;
}

std::string naming(const ShapeFamily& family) {
  return naming(family.name, family.form);
}

std::string why_no_block(Extent3 threads, std::size_t shared_bytes) {
  if (threads.points() > most_threads) {
    return text("its blocks have ", threads.points(), " threads, at most ", most_threads);
  }
  if (threads.z > most_threads_z) {
    return text("its blocks have ", threads.z, " threads along z, at most ", most_threads_z);
  }
  if (shared_bytes > most_shared_bytes) {
    return text("its blocks have ", shared_bytes, " B of shared memory, at most ", most_shared_bytes);
  }
  return "";
}

std::string why_impossible(const NamedShape& shape, int radius, Precision precision) {
  const auto& [family, of] = shape;
  if (precision == Precision::float64 && !family->takes_double) return "its values are floats";
  if (std::string why = family->refusal(of, radius); !why.empty()) return why;
  const std::size_t bytes = family->shared_values(of, radius) * bytes_of(precision);
  for (const bool damps : {false, true}) {
    if (std::string why = why_no_block(family->threads(of, damps), bytes); !why.empty()) return why;
  }
  return "";
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
