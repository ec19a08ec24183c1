#include "src/job/outputs/survey_facts.hpp"

#include <algorithm>

#include "src/base/error.hpp"

namespace minimod {
namespace {

/// "0..500", or "500" where all are there.
std::string range_of(const std::vector<Point3>& points, double Point3::*axis) {
  const auto [least, greatest] = std::ranges::minmax(points, {}, axis);
  return least.*axis == greatest.*axis ? text(least.*axis) : text(least.*axis, "..", greatest.*axis);
}

/// "101 in x 0..500, y 300, z 10 m".
std::string all_of(const std::vector<Point3>& points) {
  return text(points.size(), " in x ", range_of(points, &Point3::x), ", y ", range_of(points, &Point3::y),
              ", z ", range_of(points, &Point3::z), " m");
}

std::string move_fact(double metres, const char* where) {
  constexpr double rounding = 1e-6;  // of a position, m
  return metres > rounding ? text(", moved by ", metres, where) : "";
}

}  // namespace

std::string time_span_fact(const RunPlan& plan) {
  const double end = plan.times().at(plan.steps);
  return plan.first_time == 0 ? text(end, " s") : text(plan.first_time, " to ", end, " s");
}

std::string wavelet_fact(const RunPlan& plan) {
  const Wavelet& first = plan.shot.wavelet();
  if (plan.injection) return first.description;
  const auto others = std::ranges::count_if(
      plan.shot.sources, [&](const PlannedSource& source) { return source.wavelet.get() != &first; });
  const auto [least, greatest] = std::ranges::minmax(plan.shot.sources, {}, &PlannedSource::amplitude);
  const bool all_as_given = least.amplitude == 1 && greatest.amplitude == 1;
  return text(first.description, "; greatest at ", first.delay(), " s",
              others == 0 ? "" : text("; ", others, " sources have others"),
              all_as_given ? "" : text("; times ", least.amplitude, " to ", greatest.amplitude));
}

std::string difference_fact(Difference difference) {
  const std::string order = text("order ", 2 * difference.radius);
  return difference.weights == StarWeights::taylor ? order : order + " by minimax weights";
}

std::string dispersion_fact(const RunPlan& plan) {
  return plan.dispersion == TimeDispersion::corrected ? "time dispersion corrected in wavelet and traces"
                                                      : "time dispersion as it is";
}

std::string source_fact(const RunPlan& plan) {
  const bool is_one = plan.shot.sources.size() == 1, at_node = plan.interpolation == Interpolation::nearest;
  std::vector<Point3> used;
  for (std::size_t i = 0; i < plan.shot.sources.size(); ++i) used.push_back(plan.source_position(i));
  const Point3 p = used.front();
  return text(is_one ? text('(', p.x, ", ", p.y, ", ", p.z, ") m") : all_of(used),
              move_fact(plan.shot.moves.source,
                        is_one ? " m to the nearest node" : " m at most to the nearest nodes"),
              at_node ? ""
                      : text("; ", is_one ? "it" : "they", " and the receivers between the nodes by ",
                             interpolation_name(plan.interpolation), ", ", 2 * half_width(plan.interpolation),
                             " nodes an axis"));
}

std::string receivers_fact(const RunPlan& plan) {
  std::vector<Point3> used;
  used.reserve(plan.shot.receivers.size());
  for (std::size_t i = 0; i < plan.shot.receivers.size(); ++i) used.push_back(plan.receiver_position(i));
  const std::string on_surface =
      plan.shot.receivers_on_surface > 0
          ? text("; ", plan.shot.receivers_on_surface, " receivers on the free surface record zeros")
          : "";
  const bool below_surface = plan.default_line && plan.problem.domain.boundary.free_surface;
  return text(all_of(used), below_surface ? ", a node below the free surface" : "",
              move_fact(plan.shot.moves.receivers, " m at most to the nearest nodes"), "; ", plan.samples(),
              " samples every ", plan.problem.dt * plan.record_every * 1e3, " ms", on_surface);
}

}  // namespace minimod
