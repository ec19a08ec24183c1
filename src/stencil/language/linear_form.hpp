/// Outputs that are sums of values, each by a weight that is constant or stands at the point, whatever way
/// they are written.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

struct LinearForm {
  /// A value of an array that is read beside the point: the array, and the offset along z, y and x.
  using Place = std::tuple<int, int, int, int>;
  static constexpr Place nowhere{-1, 0, 0, 0};

  /// Factors beside the constant of a term: a value, and those of arrays that are read at the point alone.
  struct Product {
    Place place = nowhere;     ///< nowhere: without such a value
    std::vector<int> factors;  ///< arrays, ascending
    friend bool operator==(const Product&, const Product&) = default;
    friend bool operator<(const Product& a, const Product& b) {
      return std::tie(a.place, a.factors) < std::tie(b.place, b.factors);
    }
  };

  int output = 0;  ///< array
  std::map<Product, double> terms;

  /// Value of the term that is a constant.
  [[nodiscard]] double added() const;
};

/// Forms of all outputs, in the order of their equations; nothing where one is no such sum, has a number that
/// float does not hold, or more than limits::operands terms.
[[nodiscard]] std::optional<std::vector<LinearForm>> linear_forms(const Specification& specification);

}  // namespace minimod::stencil
