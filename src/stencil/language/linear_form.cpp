#include "src/stencil/language/linear_form.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "src/stencil/evaluation.hpp"

namespace minimod::stencil {
namespace {

using Kind = Term::Kind;

LinearForm constant(double value) {
  LinearForm form;
  form.terms[{}] = value;
  return form;
}

bool is_constant(const LinearForm& form) {
  return std::ranges::all_of(form.terms, [](const auto& of) { return of.first == LinearForm::Product{}; });
}

bool reads_beside(const LinearForm& form) {
  return std::ranges::any_of(form.terms,
                             [](const auto& of) { return of.first.place != LinearForm::nowhere; });
}

void scale(LinearForm& form, double factor) {
  for (auto& [product, weight] : form.terms) weight *= factor;
}

void add(LinearForm& to, const LinearForm& form) {
  for (const auto& [product, weight] : form.terms) to.terms[product] += weight;
}

/// Product of two forms of which one at most reads beside the point.
LinearForm multiplied(const LinearForm& left, const LinearForm& right) {
  LinearForm form;
  for (const auto& [of_left, left_weight] : left.terms) {
    for (const auto& [of_right, right_weight] : right.terms) {
      LinearForm::Product product{std::max(of_left.place, of_right.place), {}};
      std::ranges::merge(of_left.factors, of_right.factors, std::back_inserter(product.factors));
      form.terms[product] += left_weight * right_weight;
    }
  }
  return form;
}

/// Whether it is one.
bool combine(Kind kind, LinearForm& left, LinearForm right) {
  if (kind == Kind::lesser || kind == Kind::greater) {
    if (!is_constant(left) || !is_constant(right)) return false;
    left = constant(applied(kind, left.added(), right.added()));
    return true;
  }
  if (kind == Kind::multiply) {
    if (reads_beside(left) && reads_beside(right)) return false;
    if (left.terms.size() * right.terms.size() > limits::operands) return false;
    left = multiplied(left, right);
  } else if (kind == Kind::divide) {
    if (!is_constant(right)) return false;
    for (auto& [product, weight] : left.terms) weight /= right.added();
  } else {
    if (kind == Kind::subtract) scale(right, -1);
    add(left, right);
  }
  return left.terms.size() <= limits::operands;
}

/// Whether it is one when the function has been taken of it.
bool apply(Kind kind, LinearForm& form) {
  if (kind == Kind::negate) {
    scale(form, -1);
    return true;
  }
  if (!is_constant(form)) return false;
  form = constant(applied(kind, form.added()));
  return true;
}

/// By array.
std::vector<bool> arrays_read_beside(const Specification& specification) {
  std::vector<bool> are(specification.arrays.size());
  for (const Equation& equation : specification.equations) {
    for (const Term& term : equation.value) {
      if (term.kind == Kind::load && term.offset != Index3{}) are[term.index] = true;
    }
  }
  return are;
}

/// Whether kernels of either precision hold its numbers.
bool is_held(const LinearForm& form) {
  return std::ranges::all_of(
      form.terms, [](const auto& of) { return std::abs(of.second) <= std::numeric_limits<float>::max(); });
}

}  // namespace

double LinearForm::added() const {
  const auto found = terms.find({});
  return found == terms.end() ? 0 : found->second;
}

std::optional<std::vector<LinearForm>> linear_forms(const Specification& specification) {
  const std::vector<bool> is_beside = arrays_read_beside(specification);
  std::vector<LinearForm> temporaries(specification.temporaries.size()), outputs;
  const auto form_of_operand = [&](const Term& term) {
    if (term.kind == Kind::number) return constant(term.number);
    if (term.kind == Kind::scalar) return constant(specification.scalars[term.index].value);
    if (term.kind == Kind::temporary) return temporaries[term.index];
    const auto [x, y, z] = term.offset;
    LinearForm form;
    const bool is_staged = is_beside[term.index];
    form.terms[is_staged ? LinearForm::Product{{term.index, z, y, x}, {}}
                         : LinearForm::Product{LinearForm::nowhere, {term.index}}] = 1;
    return form;
  };
  for (const auto& [to_array, target, value] : specification.equations) {
    std::vector<LinearForm> values;
    for (const Term& term : value) {
      if (is_operand(term.kind)) {
        values.push_back(form_of_operand(term));
      } else if (!is_binary(term.kind)) {
        if (!apply(term.kind, values.back())) return std::nullopt;
      } else {
        LinearForm right = std::move(values.back());
        values.pop_back();
        if (!combine(term.kind, values.back(), std::move(right))) return std::nullopt;
      }
    }
    if (!to_array) {
      temporaries[target] = std::move(values.back());
      continue;
    }
    if (!is_held(values.back())) return std::nullopt;
    outputs.push_back(std::move(values.back()));
    outputs.back().output = target;
  }
  return outputs;
}

}  // namespace minimod::stencil
