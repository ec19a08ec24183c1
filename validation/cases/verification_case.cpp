#include "validation/cases/verification_case.hpp"

#include <cmath>

#include "src/ranks/ranks.hpp"

namespace minimod {

std::string rule_name(Rule rule) {
  return rule == Rule::within ? "within" : rule == Rule::at_most ? "at most" : "at least";
}

bool Figure::passed() const {
  if (!std::isfinite(value)) return false;
  if (rule == Rule::within) return std::abs(value - expected) <= tolerance;
  return rule == Rule::at_most ? value <= expected : value >= expected;
}

Figure within(std::string name, double value, double expected, double tolerance, std::string unit) {
  return {std::move(name), value, Rule::within, expected, tolerance, std::move(unit)};
}

Figure at_most(std::string name, double value, double limit, std::string unit) {
  return {std::move(name), value, Rule::at_most, limit, 0, std::move(unit)};
}

Figure at_least(std::string name, double value, double limit, std::string unit) {
  return {std::move(name), value, Rule::at_least, limit, 0, std::move(unit)};
}

void CaseReport::add(const std::string& name, const Error& refusal) {
  const bool cannot_be_cut = refusal.kind() == ErrorKind::parameter && !Ranks::world().is_alone();
  (cannot_be_cut ? left_out : not_run).push_back({name, refusal.what()});
}

std::string cost_name(Cost cost) {
  return cost == Cost::light ? "light" : cost == Cost::slow ? "slow" : "longest";
}

}  // namespace minimod
