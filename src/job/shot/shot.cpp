#include "src/job/shot/shot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/error.hpp"
#include "src/job/plan/plan.hpp"
#include "src/job/plan/run_scale.hpp"
#include "src/job/plan/time_zero.hpp"
#include "src/solver/source.hpp"

namespace minimod {

namespace {

/// Corners of the least box that holds all.
std::vector<Point3> corners_around(const std::vector<Point3>& points) {
  Point3 least = points.front(), greatest = least;
  for (const Point3& p : points) {
    least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
    greatest = {std::max(greatest.x, p.x), std::max(greatest.y, p.y), std::max(greatest.z, p.z)};
  }
  std::vector<Point3> corners;
  for (const double x : {least.x, greatest.x}) {
    for (const double y : {least.y, greatest.y}) {
      for (const double z : {least.z, greatest.z}) corners.push_back({x, y, z});
    }
  }
  return corners;
}

std::vector<double> multiplied(std::vector<double> samples, double factor) {
  for (double& s : samples) s *= factor;
  return samples;
}

/// One for all sources of the shot.
double scale_of(const Shot& shot, Precision precision) {
  if (shot.injection) return run_scale_of(shot.injection->greatest(), precision);
  double amplitude = 0;
  for (const PlannedSource& source : shot.sources) {
    amplitude = std::max(amplitude, std::abs(source.amplitude) * source.wavelet->amplitude);
  }
  return run_scale_of(amplitude, precision);
}

int count_on_surface(const Problem& problem, const Shot& shot) {
  int count = 0;
  for (std::size_t i = 0; i < shot.receivers.size(); ++i) {
    count += shot.receiver_position(problem, i).z <= 0 ? 1 : 0;
  }
  return count;
}

/// u is 0 there.
void refuse_sources_on_surface(const Problem& problem, const Shot& shot) {
  const bool at_node = shot.interpolation == Interpolation::nearest;
  for (const PlannedSource& source : shot.sources) {
    const double depth = at_node ? source.node.z - problem.inner_box().begin.z : source.position.z;
    if (depth > 0) continue;
    throw Error(ErrorKind::data, text("the source at z = ", source.position.z, " m is on the free surface"),
                "u is 0 there: move it down");
  }
}

/// The traces of a shot have one unit.
void check_units(const Shot& shot) {
  const std::string& first = shot.wavelet().unit;
  for (const PlannedSource& source : shot.sources) {
    if (source.wavelet->unit == first) continue;
    throw Error(ErrorKind::data,
                text("the wavelets of one shot are in '", escaped(first, 40), "' and in '",
                     escaped(source.wavelet->unit, 40), "'"),
                "give those of its sources in one unit");
  }
}

/// Position of the node that stands for a position, or the very one.
Point3 position_of(const Problem& problem, Interpolation interpolation, Point3 wanted, Index3 node) {
  if (interpolation != Interpolation::nearest) return wanted;
  return node_position(node, problem.grid().spacing, problem.inner_box().begin);
}

}  // namespace

std::vector<double> PlannedSource::samples() const {
  return multiplied(wavelet->samples, amplitude);
}

int Shot::signal_end() const {
  int end = 0;
  for (const PlannedSource& source : sources) end = std::max(end, source.wavelet->end());
  return end;
}

std::vector<double> Shot::samples_of(std::size_t i, const TimeAxis& time) const {
  return injection ? injection->samples(i, time) : sources[i].samples();
}

std::function<std::vector<double>(std::size_t)> Shot::feed(const TimeAxis& time) const {
  const double part = 1 / scale;
  if (injection) {
    return [all = injection, time, part](std::size_t i) { return multiplied(all->fed(i, time), part); };
  }
  return
      [of = sources, part](std::size_t i) { return multiplied(of[i].wavelet->fed, of[i].amplitude * part); };
}

std::function<NodeWeights(Point3)> Shot::placing(const Problem& problem) const {
  const Point3 h = problem.grid().spacing;
  const Index3 first = problem.inner_box().begin;
  SincWeights weights(problem.grid().n, interpolation, problem.domain.boundary.free_surface);
  return [=](Point3 p) mutable {
    return weights.at({first.x + p.x / h.x, first.y + p.y / h.y, first.z + p.z / h.z});
  };
}

NodeWeights Shot::place_of(const Problem& problem, Point3 p) const {
  return placing(problem)(p);
}

NodeWeights Shot::place_of(const Problem& problem, const PlannedSource& source) const {
  return interpolation == Interpolation::nearest ? at_node(source.node) : place_of(problem, source.position);
}

Point3 Shot::source_position(const Problem& problem, std::size_t i) const {
  return position_of(problem, interpolation, sources[i].position, sources[i].node);
}

Point3 Shot::receiver_position(const Problem& problem, std::size_t i) const {
  return position_of(problem, interpolation, receivers[i], receiver_nodes[i]);
}

double Shot::greatest_offset(const Problem& problem) const {
  constexpr std::size_t most_pairs = 10'000'000;
  std::vector<Point3> from(sources.size()), to(receivers.size());
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = source_position(problem, k);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = receiver_position(problem, i);
  if (from.size() > most_pairs / to.size()) {  // the corners of the boxes around them are farther apart
    from = corners_around(from);
    to = corners_around(to);
  }
  double greatest = 0;
  for (const Point3& s : from) {
    for (const Point3& r : to) greatest = std::max(greatest, std::hypot(r.x - s.x, r.y - s.y, r.z - s.z));
  }
  return greatest;
}

Shot place_shot(const RunPlan& plan, const ShotGeometry& geometry) {
  const Problem& problem = plan.problem;
  const Point3 h = problem.grid().spacing;
  Placement nodes = place(geometry, h, problem.inner_box(), plan.interpolation);
  Shot shot;
  shot.number = geometry.id;
  for (std::size_t i = 0; i < geometry.sources.size(); ++i) {
    const ShotSource& source = geometry.sources[i];
    const auto& wavelet = plan.signals.wavelets.at(wavelet_name(geometry, source, plan.time_zero));
    shot.sources.push_back({source.position, nodes.sources[i], wavelet, source.amplitude});
  }
  shot.injection = plan.injection;
  shot.scale = scale_of(shot, problem.grid().precision);
  shot.receivers = geometry.receivers;
  shot.stations = geometry.stations;
  shot.receiver_nodes = std::move(nodes.receivers);
  shot.interpolation = plan.interpolation;
  if (plan.interpolation == Interpolation::nearest) shot.moves = moves_to_nodes(geometry, h);
  if (problem.domain.boundary.free_surface) {
    shot.receivers_on_surface = count_on_surface(problem, shot);
    refuse_sources_on_surface(problem, shot);
  }
  check_units(shot);
  return shot;
}

}  // namespace minimod
