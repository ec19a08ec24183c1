#include "kernels/tiles/shape_family.hpp"

#include <algorithm>
#include <vector>

#include "kernels/equation_list.hpp"
#include "kernels/shape_list.hpp"
#include "src/base/parse.hpp"

namespace minimod {

namespace {

/// How far each array that is read beside the point is read.
std::vector<Reach> reaches_beside(Equation equation, int radius) {
  std::vector<Reach> reaches;
  with_equation(equation, [&]<class Line>() {
    with_radius(radius, [&]<int Radius>() {
      using Its = typename Line::template Of<InnerUpdate<float, Radius>>;
      for_each(typename Its::Beside{}, [&]<int Array>() { reaches.push_back(Its::reach(Array)); });
    });
  });
  return reaches;
}

}  // namespace

std::span<const TileFamily> shape_families() {
  static const std::vector<TileFamily> families = [] {
    std::vector<TileFamily> all;  // each once, in the order of the list
    for_each_entry(ShapeList{}, [&]<class Entry, std::size_t /*Index*/>() {
      const TileFamily family = family_of<typename Entry::template Body<InnerUpdate<float>>>();
      const auto is_same = [&](const TileFamily& other) {
        return std::string_view(other.name) == family.name;
      };
      if (std::ranges::none_of(all, is_same)) all.push_back(family);
    });
    return all;
  }();
  return families;
}

const TileFamily* find_family(std::string_view name) {
  const auto known = shape_families();
  const auto found = std::ranges::find(known, name, &TileFamily::name);
  return found != known.end() ? &*found : nullptr;
}

std::optional<NamedShape> parse_shape_name(std::string_view name) {
  return parse_tiled_name(name, shape_families());
}

std::size_t shared_bytes(const NamedShape& shape, int radius, Precision precision, Equation equation) {
  const auto& [family, of] = shape;
  const Index3 far{radius, radius, radius};
  if (has_wave_star(equation)) {
    return static_cast<std::size_t>(family->shared_values(of, {far, far})) * bytes_of(precision);
  }
  std::size_t bytes = 0;
  for (const Reach& reach : reaches_beside(equation, radius)) {
    bytes += shared_bytes(*family, of, reach, precision);
  }
  return bytes;
}

std::string why_impossible(const NamedShape& shape, int radius, Precision precision, Equation equation) {
  const auto& [family, of] = shape;
  if (!has_wave_star(equation) && !family->takes_any_equation) return "it has the wave's star alone";
  const std::size_t bytes = shared_bytes(shape, radius, precision, equation);
  return first_reason({text_of(family->refusal(of, radius)),
                       why_no_block(family->threads(of, {false, radius, precision}), bytes),
                       why_no_block(family->threads(of, {true, radius, precision}), bytes)});
}

std::string families_of_any_equation() {
  std::vector<const char*> names;
  for (const TileFamily& family : shape_families()) {
    if (family.takes_any_equation) names.push_back(family.name);
  }
  return joined(names);
}

Extent3 blocks_over(const NamedShape& shape, const Box3& box) {
  const Extent3 n = box.extent();
  return blocks_covering({n.x + shape.family->points_before, n.y, n.z}, shape.parameters.tile);
}

std::string header_of(const TileFamily& family) {
  return family.header != nullptr ? family.header : text(family.template_name, ".hpp");
}

}  // namespace minimod
