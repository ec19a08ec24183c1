#include "boundary/measured_reflection.hpp"

#include <cmath>

#include "boundary/layer.hpp"

namespace minimod {

namespace {

/// Linearly between the rows of two widths.
Reflection between(const MeasuredReflection& narrower, const MeasuredReflection& wider, int width) {
  const double weight = static_cast<double>(width - narrower.width) / (wider.width - narrower.width);
  const Reflection &a = narrower.reflection, &b = wider.reflection;
  return {std::lerp(a.face, b.face, weight), std::lerp(a.edge, b.edge, weight),
          std::lerp(a.corner, b.corner, weight), std::lerp(a.grazing, b.grazing, weight)};
}

}  // namespace

std::optional<Reflection> measured_reflection(BoundaryKind kind, int width) {
  if (width < facts_of(kind).least_width) return std::nullopt;
  const MeasuredReflection* narrower = nullptr;  // set by the first row, the narrowest there can be
  for (const MeasuredReflection& row : layer_of(kind).measured()) {
    if (row.width == width) return row.reflection;
    if (row.width > width) return between(*narrower, row, width);
    narrower = &row;
  }
  return narrower->reflection;
}

}  // namespace minimod
