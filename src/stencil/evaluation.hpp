/// What an expression is worth.
#pragma once

#include <array>
#include <cstddef>

#include "src/stencil/specification.hpp"

namespace minimod::stencil {

/// In double and in the order in which it is written; `operand(term)` is the value of an operand.
template <class Operand>
[[nodiscard]] double evaluate(const Expression& expression, const Operand& operand) {
  std::array<double, limits::operands + 1>
      values;  // of what is not yet used; one more for a sum that begins with +=
  std::size_t count = 0;
  for (const Term& term : expression) {
    if (term.kind < Term::Kind::add) {
      values[count++] = operand(term);
      continue;
    }
    if (term.kind == Term::Kind::negate) {
      values[count - 1] = -values[count - 1];
      continue;
    }
    const double right = values[--count];
    double& left = values[count - 1];
    switch (term.kind) {
      case Term::Kind::add:
        left += right;
        break;
      case Term::Kind::subtract:
        left -= right;
        break;
      case Term::Kind::multiply:
        left *= right;
        break;
      default:
        left /= right;
        break;
    }
  }
  return values[0];
}

}  // namespace minimod::stencil
