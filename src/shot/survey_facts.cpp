#include "src/shot/survey_facts.hpp"

#include <algorithm>

#include "src/base/error.hpp"

namespace minimod {
namespace {

/// "0..500", or "500" where all are there.
std::string range_of(const std::vector<Point3>& points, double Point3::*axis) {
  const auto [least, greatest] = std::ranges::minmax(points, {}, axis);
  return least.*axis == greatest.*axis ? text(least.*axis) : text(least.*axis, "..", greatest.*axis);
}

std::string move_fact(double metres, const char* where) {
  constexpr double rounding = 1e-6;  // of a position, m
  return metres > rounding ? text(", moved by ", metres, where) : "";
}

}  // namespace

std::string source_fact(const RunPlan& plan) {
  const Point3 p = plan.position_of(plan.survey.source, plan.nodes.source);
  const bool at_node = plan.interpolation == Interpolation::nearest;
  return text(
      '(', p.x, ", ", p.y, ", ", p.z, ") m", move_fact(plan.moves.source, " m to the nearest node"),
      at_node ? ""
              : text("; it and the receivers between the nodes by ", interpolation_name(plan.interpolation),
                     ", ", 2 * half_width(plan.interpolation), " nodes an axis"));
}

std::string receivers_fact(const RunPlan& plan) {
  std::vector<Point3> used;
  used.reserve(plan.nodes.receivers.size());
  for (std::size_t i = 0; i < plan.nodes.receivers.size(); ++i) {
    used.push_back(plan.position_of(plan.survey.receivers[i], plan.nodes.receivers[i]));
  }
  const std::string on_surface =
      plan.receivers_on_surface > 0
          ? text("; ", plan.receivers_on_surface, " receivers on the free surface record zeros")
          : "";
  const bool below_surface = plan.default_line && plan.boundary.spec.free_surface;
  return text(used.size(), " in x ", range_of(used, &Point3::x), ", y ", range_of(used, &Point3::y), ", z ",
              range_of(used, &Point3::z), " m", below_surface ? ", a node below the free surface" : "",
              move_fact(plan.moves.receivers, " m at most to the nearest nodes"), "; ", plan.samples(),
              " samples every ", plan.dt * plan.record_every * 1e3, " ms", on_surface);
}

}  // namespace minimod
