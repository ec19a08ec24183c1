/// A field in the memory of a device, and where its points stand there.
#pragma once

#include <limits>
#include <utility>
#include <variant>

#include "kernels/grid.hpp"

namespace minimod {

/// Rows, or chunks by the sides of the L2.
using FieldLayout = std::variant<Layout, ChunksOfField>;

struct PlacedField {
  RealsAt values;
  FieldLayout layout;

  [[nodiscard]] Precision precision() const { return values.precision; }
  [[nodiscard]] RealsAt at(Index3 p) const {
    return values + std::visit([&](const auto& at) { return at.index(p.x, p.y, p.z); }, layout);
  }
  /// Points along x, from x on, that stand behind each other.
  [[nodiscard]] int abreast(int x) const {
    return std::holds_alternative<Layout>(layout) ? std::numeric_limits<int>::max()
                                                  : ChunkLayout::width - x % ChunkLayout::width;
  }
  /// Calls work(values, layout) with their types; what lies in chunks are floats.
  template <class Work>
  decltype(auto) visit(const Work& work) const {
    if (const auto* const chunks = std::get_if<ChunksOfField>(&layout))
      return work(values.of<float>(), *chunks);
    return with_real(precision(),
                     [&]<class Real>() { return work(values.of<Real>(), std::get<Layout>(layout)); });
  }
};

}  // namespace minimod
