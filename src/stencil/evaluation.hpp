/// The value of an expression.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "kernels/equations/arrays.hpp"
#include "src/stencil/language/specification.hpp"

namespace minimod::stencil {

/// Result of an operation on two values; NaN where one of them is NaN.
[[nodiscard]] inline double applied(Term::Kind kind, double left, double right) {
  if (kind == Term::Kind::add) return left + right;
  if (kind == Term::Kind::subtract) return left - right;
  if (kind == Term::Kind::multiply) return left * right;
  if (kind == Term::Kind::divide) return left / right;
  return kind == Term::Kind::lesser ? lesser(left, right) : greater(left, right);
}

/// Result of an operation on one value.
[[nodiscard]] inline double applied(Term::Kind kind, double value) {
  if (kind == Term::Kind::negate) return -value;
  return kind == Term::Kind::root ? std::sqrt(value) : std::abs(value);
}

/// In double and in the order in which it is written; `operand(term)` is the value of an operand.
template <class Operand>
[[nodiscard]] double evaluate(const Expression& expression, const Operand& operand) {
  std::array<double, limits::operands + 1>
      values;  // values not yet used; one more for a sum that begins with +=
  std::size_t count = 0;
  for (const Term& term : expression) {
    if (is_operand(term.kind)) {
      values[count++] = operand(term);
    } else if (is_binary(term.kind)) {
      const double right = values[--count];
      values[count - 1] = applied(term.kind, values[count - 1], right);
    } else {
      values[count - 1] = applied(term.kind, values[count - 1]);
    }
  }
  return values[0];
}

}  // namespace minimod::stencil
