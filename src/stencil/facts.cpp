#include "src/stencil/facts.hpp"

#include <algorithm>
#include <tuple>

#include "src/stencil/language/linear_form.hpp"

namespace minimod::stencil {
namespace {

using Kind = Term::Kind;

std::tuple<int, int, int> from_slowest(Index3 offset) {
  return {offset.z, offset.y, offset.x};
}

void make_unique(std::vector<Index3>& offsets) {
  std::ranges::sort(offsets, {}, from_slowest);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
}

bool is_corner(Index3 offset) {
  return (offset.x != 0) + (offset.y != 0) + (offset.z != 0) > 1;
}

void widen(int& lower, int& upper, int offset) {
  lower = std::max(lower, -offset);
  upper = std::max(upper, offset);
}

Reach reach_of(const std::vector<Index3>& offsets) {
  Reach reach;
  for (const Index3& offset : offsets) {
    widen(reach.lower.x, reach.upper.x, offset.x);
    widen(reach.lower.y, reach.upper.y, offset.y);
    widen(reach.lower.z, reach.upper.z, offset.z);
  }
  return reach;
}

/// Count that an operation adds to; null for signs, which cost nothing.
int Facts::*count_of(Kind kind) {
  if (kind == Kind::add || kind == Kind::subtract) return &Facts::additions;
  if (kind == Kind::multiply) return &Facts::multiplications;
  if (kind == Kind::divide) return &Facts::divisions;
  return is_binary(kind) || kind == Kind::root ? &Facts::functions : nullptr;
}

/// Counts the operations whose result differs from point to point.
void count_operations(const Expression& expression, Facts& facts) {
  std::vector<bool> varies;  // each value that is not yet used
  for (const Term& term : expression) {
    if (is_operand(term.kind)) varies.push_back(term.kind == Kind::load || term.kind == Kind::temporary);
    if (is_binary(term.kind)) {
      const bool right = varies.back();
      varies.pop_back();
      varies.back() = varies.back() || right;
    }
    if (int Facts::*const count = count_of(term.kind); count != nullptr && varies.back()) ++(facts.*count);
  }
}

/// The array that takes its values over, or Array::keeps.
int heir_of(const Specification& specification, int array) {
  const auto found = std::ranges::find(specification.arrays, array, &Array::next);
  return found == specification.arrays.end() ? Array::keeps
                                             : static_cast<int>(found - specification.arrays.begin());
}

}  // namespace

Facts facts_of(const Specification& specification) {
  Facts facts;
  facts.arrays.resize(specification.arrays.size());
  std::vector<Index3> all;
  for (const Equation& equation : specification.equations) {
    count_operations(equation.value, facts);
    for (const Term& term : equation.value) {
      if (term.kind != Kind::load) continue;
      facts.arrays[term.index].offsets.push_back(term.offset);
      all.push_back(term.offset);
    }
  }
  make_unique(all);
  facts.is_linear = linear_forms(specification).has_value();
  facts.points = static_cast<int>(all.size());
  facts.reach = reach_of(all);
  facts.reads_corners = std::ranges::any_of(all, is_corner);
  facts.reads_corners_off_plane =
      std::ranges::any_of(all, [](Index3 at) { return at.z != 0 && (at.x != 0 || at.y != 0); });
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    ArrayFacts& array = facts.arrays[i];
    make_unique(array.offsets);
    array.reach = reach_of(array.offsets);
    array.reads_corners = std::ranges::any_of(array.offsets, is_corner);
    facts.loads += static_cast<int>(array.offsets.size());
    facts.stores += specification.arrays[i].is_output ? 1 : 0;
    facts.compulsory_bytes += bytes_of(specification.arrays[i].precision);
  }
  return facts;
}

std::vector<PlanesRead> planes_read_of_outputs(const Specification& specification) {
  const Facts facts = facts_of(specification);
  std::vector<PlanesRead> all;
  for (int output = 0; output < static_cast<int>(facts.arrays.size()); ++output) {
    if (!specification.arrays[output].is_output) continue;
    PlanesRead planes{output};
    for (int heir = heir_of(specification, output); heir != Array::keeps;
         heir = heir_of(specification, heir)) {
      planes.lower = std::max(planes.lower, facts.arrays[heir].reach.lower.z);
      planes.upper = std::max(planes.upper, facts.arrays[heir].reach.upper.z);
    }
    if (planes.lower + planes.upper > 0) all.push_back(planes);
  }
  return all;
}

std::vector<int> results_of(const Specification& specification) {
  std::vector<int> results;
  for (int array = 0; array < static_cast<int>(specification.arrays.size()); ++array) {
    const auto& [name, precision, is_output, start, next] = specification.arrays[array];
    const bool is_handed_on = heir_of(specification, array) != Array::keeps;
    if (is_output ? !is_handed_on : next != Array::keeps) results.push_back(array);
  }
  return results;
}

int last_heir_of(const Specification& specification, int array) {
  int heir = heir_of(specification, array);
  for (; heir != Array::keeps; heir = heir_of(specification, heir)) array = heir;
  return array;
}

}  // namespace minimod::stencil
