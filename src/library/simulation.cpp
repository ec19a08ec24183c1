#include "src/library/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/error.hpp"
#include "src/job/plan/layer_choice.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

constexpr int batch = 64;  // samples between two looks of the host

void require_grid(const SimulationProblem& problem) {
  const Point3 h = problem.spacing;
  for (const double spacing : {h.x, h.y, h.z}) {
    if (!(spacing > 0 && std::isfinite(spacing)))
      throw Error(ErrorKind::parameter, text("a spacing is ", spacing, " m"), "give lengths above 0");
  }
  const int order = problem.kernels.order;
  if (order < 2 || order > 2 * most_radius || order % 2 != 0)
    throw Error(ErrorKind::parameter, text("the order is ", order), text("give 2, 4, ... ", 2 * most_radius));
  if (!std::isfinite(problem.frequency) || problem.frequency <= 0) {
    throw Error(ErrorKind::parameter, text("the frequency is ", problem.frequency, " Hz"),
                "give one above 0");
  }
  if (problem.width < 0)
    throw Error(ErrorKind::parameter, text("the layer is ", problem.width, " points wide"), "give 0 or more");
}

double fastest_of(const float* velocity, std::int64_t points) {
  float least = velocity[0], greatest = velocity[0];
  for (std::int64_t i = 0; i < points; ++i) {
    if (!std::isfinite(velocity[i]))
      throw Error(ErrorKind::data, text("velocity ", i, " is not finite"), "give m/s");
    least = std::min(least, velocity[i]);
    greatest = std::max(greatest, velocity[i]);
  }
  if (least <= 0) throw Error(ErrorKind::data, text("a velocity is ", least, " m/s"), "give some above 0");
  return greatest;
}

void require_memory_for(const Backend& backend, const StepProblem& problem, const KernelSet& kernels) {
  const std::size_t needed = bytes_needed(backend, problem, kernels), free = backend.free_bytes();
  if (needed <= free) return;
  throw Error(ErrorKind::resource,
              text("the fields need ", needed, " bytes, ", free, " are free on ", backend.info().name),
              "take a smaller grid");
}

}  // namespace

SteppedSimulation::SteppedSimulation(const SimulationProblem& problem) : problem_(problem) {
  require_grid(problem_);
  const StepProblem domain = domain_for(0);
  check_extents(domain);
  check_kernels(problem_.kernels);
  choice_ = choose_device(problem_.kernels, domain);
}

/// Said to have several sources, since a schedule that then does not go computes a step ahead of the caller.
StepProblem SteppedSimulation::domain_for(double velocity) const {
  StepProblem domain = make_domain({problem_.n, problem_.spacing, problem_.width}, problem_.boundary,
                                   problem_.free_surface, problem_.weights, problem_.kernels);
  domain.boundary.velocity = velocity;
  domain.boundary.frequency = problem_.frequency;
  domain.several_sources = true;
  domain.grid.rows_are_seen = true;
  return domain;
}

void SteppedSimulation::set_medium(const float* velocity, std::optional<double> dt) {
  propagator_.reset();
  receivers_ = 0;
  const Extent3 n = problem_.n;
  const double fastest = fastest_of(velocity, n.points());
  const StepProblem domain = domain_for(fastest);
  const double limit = stable_dt_limit(fastest, problem_.spacing, domain.grid.difference());
  dt_ = dt.value_or(default_dt_fraction * limit);
  if (!(dt_ > 0 && dt_ <= limit)) {
    throw Error(ErrorKind::data,
                text("the time step is ", dt_, " s, the stability limit ", limit, " s at ", fastest, " m/s"),
                "take one above 0 and below that, or leave it to be taken");
  }
  const Problem problem = make_problem(domain, {dt_});
  check_damping(problem.boundary);
  Backend& backend = *choice_.backend;
  require_memory_for(backend, domain, choice_.kernels);
  DomainPart part = make_part(backend, problem, choice_.kernels);
  const std::int64_t plane = std::int64_t{n.x} * n.y;
  minimod::set_medium(*part.propagator, problem,
                      {usual_columns(domain.equation, n.z),
                       [&](int z, float* values) { std::copy_n(velocity + z * plane, plane, values); }});
  propagator_ = std::move(part.propagator);
}

Propagator& SteppedSimulation::propagator() const {
  if (propagator_) return *propagator_;
  throw Error(ErrorKind::parameter, "the simulation has no medium", "set one first");
}

double SteppedSimulation::dt() const {
  static_cast<void>(propagator());
  return dt_;
}

/// Positions off the nodes by less than shows are at them, as in a run of the program.
std::vector<NodeWeights> SteppedSimulation::places_of(const std::vector<Point3>& positions) const {
  const auto [n, h] = std::pair(problem_.n, problem_.spacing);
  std::vector<NodeWeights> places;
  places.reserve(positions.size());
  for (const Point3& p : positions) {
    const Point3 at{p.x / h.x, p.y / h.y, p.z / h.z};
    const auto is_within = [](double x, int nodes) { return x > -0.5 && x < nodes - 0.5; };
    if (!is_within(at.x, n.x) || !is_within(at.y, n.y) || !is_within(at.z, n.z)) {
      throw Error(ErrorKind::data, text("position ", p.x, ", ", p.y, ", ", p.z, " m is outside the grid"),
                  "give metres from its node (0, 0, 0)");
    }
    const Point3 near{std::round(at.x), std::round(at.y), std::round(at.z)};
    const double off = std::max({std::abs(at.x - near.x), std::abs(at.y - near.y), std::abs(at.z - near.z)});
    places.push_back(off < share_that_shows
                         ? at_node({int(near.x), int(near.y), int(near.z)})
                         : sinc_weights(at, n, Interpolation::sinc4, problem_.free_surface));
  }
  return places;
}

void SteppedSimulation::set_sources(const std::vector<Point3>& positions,
                                    const std::vector<std::vector<double>>& signatures) {
  const std::vector<NodeWeights> places = places_of(positions);
  std::vector<FedSource> sources;
  sources.reserve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!std::ranges::all_of(signatures[i], [](double s) { return std::isfinite(s); }))
      throw Error(ErrorKind::data, text("signature ", i, " has a value that is not finite"), "give numbers");
    sources.push_back({places[i], signatures[i]});
  }
  propagator().set_sources(sources);
}

void SteppedSimulation::set_receivers(const std::vector<Point3>& positions) {
  const std::vector<NodeWeights> places = places_of(positions);
  const auto is_node = [](const NodeWeights& place) { return place.count.points() == 1; };
  receivers_ = 0;
  if (std::ranges::all_of(places, is_node)) {
    std::vector<Index3> nodes;
    nodes.reserve(places.size());
    for (const NodeWeights& place : places) nodes.push_back(place.first);
    propagator().set_receivers(nodes, batch);
  } else {
    propagator().set_receivers_between({places.begin(), places.end()}, batch);
  }
  receivers_ = positions.size();
  kept_ = Reals(problem_.kernels.precision, 0);
  in_batch_ = 0;
  is_recorded_ = false;
}

void SteppedSimulation::record() {
  if (is_recorded_ || receivers_ == 0) return;
  if (in_batch_ == batch) fetch_batch();
  propagator().record();
  ++in_batch_;
  is_recorded_ = true;
}

void SteppedSimulation::fetch_batch() {
  kept_.append(propagator().fetch_batch());
  in_batch_ = 0;
}

void SteppedSimulation::step() {
  Propagator& steps = propagator();
  record();
  steps.step();
  is_recorded_ = false;
}

int SteppedSimulation::steps_done() const {
  return propagator().steps_done();
}

std::size_t SteppedSimulation::samples() const {
  if (receivers_ == 0) return 0;
  return kept_.size() / receivers_ + in_batch_ + (is_recorded_ ? 0 : 1);
}

Reals SteppedSimulation::fetch() {
  record();
  if (in_batch_ > 0) fetch_batch();
  return std::exchange(kept_, Reals(problem_.kernels.precision, 0));
}

RealsAt SteppedSimulation::field() {
  propagator().check_status();
  choice_.backend->wait();
  return propagator().fields().observed().values;
}

const Grid& SteppedSimulation::grid() const {
  return propagator().fields().grid();
}

std::vector<double> SteppedSimulation::plane(int z) const {
  return propagator().wavefield({{0, 0, z}, {problem_.n.x, problem_.n.y, z + 1}});
}

void SteppedSimulation::add(Index3 node, double value) {
  const Extent3 n = problem_.n;
  if (!Box3{{0, 0, 0}, {n.x, n.y, n.z}}.contains(node)) {
    throw Error(ErrorKind::parameter,
                text("node ", node.x, ", ", node.y, ", ", node.z, " is not in the grid"),
                text("it has ", n.x, " x ", n.y, " x ", n.z));
  }
  propagator().add(node, value);
}

}  // namespace minimod
