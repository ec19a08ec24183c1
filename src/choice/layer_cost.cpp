#include "src/choice/layer_cost.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/base/error.hpp"
#include "src/solver/fields/memory.hpp"
#include "src/solver/schedules.hpp"

namespace minimod {

namespace {

constexpr int timed_steps_of_cost = 5;
/// Other figures are those of a disturbed measurement.
constexpr double least_cost = 1, greatest_cost = 6;

/// As large as a few hundredths of a second allow, and larger than caches.
StepProblem small_domain(const StepProblem& domain, bool on_gpu) {
  const BoundarySpec& boundary = domain.boundary;
  const int most = std::max(on_gpu ? 512 : 128, 3 * boundary.widths.bottom);
  const Extent3 n = domain.grid.n;
  StepProblem small = domain;
  small.boundary.velocity = 0;
  small.grid = make_grid({std::min(n.x, most), std::min(n.y, most), std::min(n.z, most)}, domain.grid.spacing,
                         small.boundary, domain.grid.difference(), domain.grid.precision);
  return small;
}

struct Rates {
  double inner = 0, layer = 0;  ///< seconds a point
};

/// The median of a few steps for each of both.
Rates rates_of(Propagator& propagator) {
  std::vector<double> inner, layer;
  for (int i = 0; i <= timed_steps_of_cost; ++i) {
    propagator.step(true);
    TimedPart of_inner, of_layer;
    for (const TimedPart& part : propagator.timed_parts()) {
      TimedPart& sum = part.formula == Formula::inner ? of_inner : of_layer;
      if (part.formula == Formula::mixed) return {};
      sum.points += part.points;
      sum.seconds += part.seconds;
    }
    if (of_inner.points == 0 || of_layer.points == 0) return {};
    if (i == 0) continue;  // the first run warms up
    inner.push_back(of_inner.seconds / static_cast<double>(of_inner.points));
    layer.push_back(of_layer.seconds / static_cast<double>(of_layer.points));
  }
  constexpr int middle = timed_steps_of_cost / 2;
  std::ranges::nth_element(inner, inner.begin() + middle);
  std::ranges::nth_element(layer, layer.begin() + middle);
  return {inner[middle], layer[middle]};
}

}  // namespace

std::optional<double> measured_layer_cost(Backend& backend, const StepProblem& domain,
                                          const KernelSet& kernels) {
  const StepProblem small = small_domain(domain, backend.info().is_gpu());
  const KernelSet in_turn{kernels.inner, kernels.pml, &sequence()};
  Rates found;
  try {
    if (bytes_needed(backend, small, in_turn) > backend.free_bytes()) return {};
    Propagator propagator(backend, small, make_boundary(small.boundary, small.grid.n, small.grid.spacing, 1),
                          in_turn);
    propagator.set_random_field(1);
    found = rates_of(propagator);
    propagator.check_status();
  } catch (const Error& refusal) {  // a shape refuses this grid, or a launch gave up
    if (refusal.kind() != ErrorKind::resource) throw;
    return {};
  }
  if (!(found.inner > 0)) return {};
  const bool behind_the_inner = !domain.boundary.has_formula();  // the inner kernel has all points then
  const double cost = found.layer / found.inner + (behind_the_inner ? 1 : 0);
  return std::clamp(cost, least_cost, greatest_cost);
}

std::optional<double> measured_layer_cost(Backend& backend, const StepProblem& domain,
                                          const KernelSet& kernels, Ranks& ranks) {
  const std::vector<double> all =
      ranks.gather(ranks.all_make([&] { return measured_layer_cost(backend, domain, kernels).value_or(0); }));
  if (std::ranges::count(all, 0) > 0) return {};
  double sum = 0;
  for (const double cost : all) sum += cost;
  return ranks.from_first(sum / static_cast<double>(all.size()));
}

}  // namespace minimod
