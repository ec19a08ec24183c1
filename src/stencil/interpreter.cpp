#include "src/stencil/interpreter.hpp"

#include <utility>

#include "src/stencil/evaluation.hpp"
#include "src/stencil/start_values.hpp"

namespace minimod::stencil {

Interpreter::Interpreter(Specification specification, Extent3 n)
    : specification_(std::move(specification)), n_(n), reach_(facts_of(specification_).reach) {
  const auto& [lower, upper] = reach_;
  const Extent3 whole{n.x + lower.x + upper.x, n.y + lower.y + upper.y, n.z + lower.z + upper.z};
  temporaries_.resize(specification_.temporaries.size());
  for (int array = 0; array < static_cast<int>(specification_.arrays.size()); ++array) {
    const StartValues start(specification_, array, n);
    std::vector<double>& values = arrays_.emplace_back(whole.points());
    double* row = values.data() + lower.x;
    for (int z = -lower.z; z < n.z + upper.z; ++z) {
      for (int y = -lower.y; y < n.y + upper.y; ++y, row += whole.x) {
        start.fill_row(-lower.x, n.x + upper.x, y, z, row);
      }
    }
  }
}

std::size_t Interpreter::index_of(Index3 point) const {
  const auto& [lower, upper] = reach_;
  const std::size_t width = n_.x + lower.x + upper.x, height = n_.y + lower.y + upper.y;
  return (static_cast<std::size_t>(point.z + lower.z) * height + (point.y + lower.y)) * width +
         (point.x + lower.x);
}

void Interpreter::compute(Index3 point) {
  const auto operand = [&](const Term& term) {
    if (term.kind == Term::Kind::number) return term.number;
    if (term.kind == Term::Kind::scalar) return specification_.scalars[term.index].value;
    if (term.kind == Term::Kind::temporary) return temporaries_[term.index];
    const auto& [x, y, z] = term.offset;
    return value(term.index, {point.x + x, point.y + y, point.z + z});
  };
  for (const Equation& equation : specification_.equations) {
    const double result = evaluate(equation.value, operand);
    if (equation.to_array) {
      set_value(equation.target, point, result);
    } else {
      temporaries_[equation.target] = result;
    }
  }
}

void Interpreter::hand_on() {
  std::vector<std::vector<double>> before = std::move(arrays_);
  arrays_.resize(before.size());
  for (int array = 0; array < static_cast<int>(before.size()); ++array) {
    const int next = specification_.arrays[array].next;
    const int from = next != Array::keeps ? next : last_heir_of(specification_, array);
    arrays_[array] = std::move(before[from]);
  }
}

void Interpreter::step_of_colour(int colour) {
  const auto for_each_of_colour = [&](const auto& body) {
    for_each_point(n_, [&](Index3 point) {
      if ((point.x + point.y + point.z) % 2 == colour) body(point);
    });
  };
  for_each_of_colour([&](Index3 point) { compute(point); });
  for (int array = 0; array < static_cast<int>(arrays_.size()); ++array) {
    const int next = specification_.arrays[array].next;
    if (next == Array::keeps) continue;
    for_each_of_colour([&](Index3 point) { set_value(array, point, value(next, point)); });
  }
}

void Interpreter::step(Sweep sweep) {
  if (sweep == Sweep::red_black) {
    for (const int colour : {0, 1}) step_of_colour(colour);
  } else {
    for_each_point(n_, [&](Index3 point) { compute(point); });
    hand_on();
  }
}

}  // namespace minimod::stencil
