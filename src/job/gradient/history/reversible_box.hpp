/// The points of a run whose steps go backward in time as they go forward.
#pragma once

#include <vector>

#include "src/ranks/problem.hpp"

namespace minimod {

/// Points at which a step is the inner formula and sources alone: u⁻ = 2u − u⁺ + (V Δt)² ∇²u and what was
/// fed, which is that of u⁺ with both times in each other's place.
struct ReversibleBox {
  Box3 box;
  std::vector<Box3> frame;  ///< planes beside it that its steps read, those of one face each
  std::vector<Box3> rest;   ///< all points that are not in it, each once
};

/// The points of a domain. Error 64 where the layer leaves none, or ranks cut it.
[[nodiscard]] ReversibleBox reversible_box(const Problem& problem);

}  // namespace minimod
