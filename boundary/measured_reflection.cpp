#include "boundary/measured_reflection.hpp"

#include <algorithm>
#include <cmath>

namespace minimod {

namespace {

constexpr MeasuredReflection table[] = {
#include "boundary/measured_reflection.inc"
};

}  // namespace

std::span<const MeasuredReflection> measured_reflections() {
  return table;
}

std::optional<Reflection> measured_reflection(BoundaryKind kind, int width) {
  if (width < least_width(kind)) return std::nullopt;
  const auto of_kind = [kind](const MeasuredReflection& row) { return row.kind == kind; };
  const auto wider =
      std::ranges::find_if(table, [&](const auto& row) { return of_kind(row) && row.width >= width; });
  if (wider == std::end(table))
    return std::find_if(std::rbegin(table), std::rend(table), of_kind)->reflection;
  if (wider->width == width) return wider->reflection;
  const auto narrower = wider - 1;  // there is one, as the first is the narrowest that can be had
  const double weight = static_cast<double>(width - narrower->width) / (wider->width - narrower->width);
  const Reflection &a = narrower->reflection, &b = wider->reflection;
  return Reflection{std::lerp(a.face, b.face, weight), std::lerp(a.edge, b.edge, weight),
                    std::lerp(a.corner, b.corner, weight), std::lerp(a.grazing, b.grazing, weight)};
}

}  // namespace minimod
