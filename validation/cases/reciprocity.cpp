/// Reciprocity: source and receiver change places, the trace stays.
#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::reciprocity_case {

namespace {

constexpr double f = 10, t0 = 0.12, least = 1500, greatest = 3500;
constexpr int steps = 500;
constexpr Index3 first{20, 25, 18}, second{50, 40, 47};

/// Any value between the extremes at every node.
double random_velocity(Index3 p) {
  return (least + greatest) / 2 + (greatest - least) / 2 * random_value(3, p.x, p.y, p.z);
}

struct Traces {
  std::vector<double> there, back;
};

Traces run_both(Runner& runner, int pml_width) {
  const auto shift = [&](Index3 p) { return Index3{p.x + pml_width, p.y + pml_width, p.z + pml_width}; };
  const int around = 2 * pml_width;
  Domain domain{{70 + around, 66 + around, 64 + around}};
  domain.dt = default_dt_fraction * stable_dt_limit(greatest, {domain.h, domain.h, domain.h});
  domain.velocity_at = random_velocity;
  domain.pml_width = pml_width;
  domain.pml_velocity = greatest;
  const auto samples = ricker_samples(f, t0, domain.dt, steps);
  const auto trace = [&](Index3 from, Index3 to) {
    return runner.traces(domain, shift(from), samples, {shift(to)}, steps).front();
  };
  return {trace(first, second), trace(second, first)};
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      text("70 x 66 x 64 points of 20 m, V at random between ", least, " and ", greatest,
           " m/s from node to node, Ricker ", f, " Hz, ", steps, " steps;"),
      "relative L2 between the traces there and back; u = 0 around the box, then a PML of 20 points "
      "around it,",
      "whose equations are not symmetric and keep reciprocity only as far as they damp"};
  const Traces closed = run_both(runner, 0), damped = run_both(runner, 20);
  report.figures = {at_most("closed_box", relative_l2(closed.back, closed.there), 2e-6),
                    at_most("with_pml", relative_l2(damped.back, damped.there), 1e-4)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"source and receiver change places in a random medium", run};
}

}  // namespace minimod::reciprocity_case
