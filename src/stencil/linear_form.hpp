/// Outputs that are sums of values times constants, whatever way they are written.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "src/stencil/specification.hpp"

namespace minimod::stencil {

struct LinearForm {
  int output = 0;  ///< array
  /// By array and by the offset along z, y and x.
  std::map<std::tuple<int, int, int, int>, double> weights;
  double added = 0;  ///< to their sum
};

/// Of all outputs, in the order of their equations; nothing where one is no such sum, or has a number
/// that float does not hold.
[[nodiscard]] std::optional<std::vector<LinearForm>> linear_forms(const Specification& specification);

}  // namespace minimod::stencil
