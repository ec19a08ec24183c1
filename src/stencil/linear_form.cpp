#include "src/stencil/linear_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace minimod::stencil {
namespace {

using Kind = Term::Kind;

void scale(LinearForm& form, double factor) {
  for (auto& [place, weight] : form.weights) weight *= factor;
  form.added *= factor;
}

void add(LinearForm& to, const LinearForm& form) {
  for (const auto& [place, weight] : form.weights) to.weights[place] += weight;
  to.added += form.added;
}

/// Whether it is one.
bool combine(Kind kind, LinearForm& left, LinearForm right) {
  if (kind == Kind::multiply) {
    if (!right.weights.empty()) std::swap(left, right);
    if (!right.weights.empty()) return false;
    scale(left, right.added);
  } else if (kind == Kind::divide) {
    if (!right.weights.empty()) return false;
    for (auto& [place, weight] : left.weights) weight /= right.added;
    left.added /= right.added;
  } else {
    if (kind == Kind::subtract) scale(right, -1);
    add(left, right);
  }
  return true;
}

LinearForm form_of_operand(const Specification& specification, const std::vector<LinearForm>& temporaries,
                           const Term& term) {
  LinearForm form;
  if (term.kind == Kind::number) form.added = term.number;
  if (term.kind == Kind::scalar) form.added = specification.scalars[term.index].value;
  if (term.kind == Kind::temporary) form = temporaries[term.index];
  if (term.kind == Kind::load) form.weights[{term.index, term.offset.z, term.offset.y, term.offset.x}] = 1;
  return form;
}

/// Whether kernels of either precision hold its numbers.
bool is_held(const LinearForm& form) {
  const auto fits = [](double value) { return std::abs(value) <= std::numeric_limits<float>::max(); };
  return fits(form.added) &&
         std::ranges::all_of(form.weights, [&](const auto& of) { return fits(of.second); });
}

}  // namespace

std::optional<std::vector<LinearForm>> linear_forms(const Specification& specification) {
  std::vector<LinearForm> temporaries(specification.temporaries.size()), outputs;
  for (const auto& [to_array, target, value] : specification.equations) {
    std::vector<LinearForm> values;
    for (const Term& term : value) {
      if (term.kind < Kind::add) {
        values.push_back(form_of_operand(specification, temporaries, term));
      } else if (term.kind == Kind::negate) {
        scale(values.back(), -1);
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
