/// The stability limit Δt = 2 / (V √(3 S) / h), S = |c0| + 2 Σ|c_m|, from both sides.
#include <cmath>
#include <limits>

#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::stability_case {

namespace {

constexpr double seconds = 20, spike = 1e9;

/// The greatest |u| after so long in a closed box that a spike set in motion; as much as a double holds where
/// u is no number any more.
double greatest_after(Runner& runner, double share_of_limit) {
  Domain domain{{33, 31, 29}};
  domain.dt = share_of_limit *
              stable_dt_limit(domain.velocity, {domain.h, domain.h, domain.h}, runner.options().radius());
  Simulation simulation = runner.start(domain, static_cast<int>(seconds / domain.dt));
  simulation.set_source({14, 17, 11}, {spike});
  while (simulation.steps_done() * domain.dt < seconds) simulation.step();
  const Extremes found = simulation.extremes();
  if (!found.finite) return std::numeric_limits<double>::max();
  return std::max(std::abs(double{found.min}), std::abs(double{found.max}));
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {text("33 x 31 x 29 points of 20 m, 2000 m/s, u = 0 around them, ", seconds,
                       " s after a spike of ", spike, " that excites every wave number")};
  report.figures = {
      at_most("greatest_u_at_0.999_of_the_limit", greatest_after(runner, 0.999), spike, source_unit),
      at_least("greatest_u_at_1.01_of_the_limit", greatest_after(runner, 1.01), 1e15, source_unit)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"just under the stability limit a run stays finite, just over it blows up", run, true};
}

}  // namespace minimod::stability_case
