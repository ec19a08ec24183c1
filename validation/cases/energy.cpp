/// Energy: conserved in a closed box, taken out by the PML.
#include <cmath>

#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/means/wave_energy.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::energy_case {

namespace {

constexpr double last_time = 3;  // s

/// Goes on to `until` (s), makes one more step, and gives the energy between its ends.
double energy_after(Simulation& simulation, const Domain& domain, double until) {
  while (simulation.steps_done() * domain.dt < until) simulation.step();
  const auto before = simulation.wavefield();
  simulation.step();
  return wave_energy(simulation.wavefield(), before, domain);
}

Domain make_domain(int edge) {
  Domain domain{{edge, edge, edge}};
  domain.dt = default_dt_fraction * stable_dt_limit(domain.velocity, {domain.h, domain.h, domain.h});
  return domain;
}

/// The greatest change of the energy between the end of the source at 0.3 s and last_time.
double drift(Runner& runner, Picture& picture) {
  const Domain domain = make_domain(60);
  Simulation simulation = runner.start(domain, static_cast<int>(last_time / domain.dt));
  simulation.set_source({24, 30, 34}, ricker_samples(10, 0.12, domain.dt, 80));
  const double first = energy_after(simulation, domain, 0.3);
  double greatest = 0;
  Curve curve{"closed box", {}, {}};
  for (double t = 0.4; t <= last_time; t += 0.1) {
    const double change = energy_after(simulation, domain, t) / first - 1;
    curve.x.push_back(t);
    curve.y.push_back(change);
    greatest = std::max(greatest, std::abs(change));
  }
  picture = {"Energy after the source, float32", "t (s)", "relative change", false, false, {curve}};
  return greatest;
}

double left_by_pml(Runner& runner) {
  Domain domain = make_domain(114);
  domain.pml_width = 27;
  domain.pml_velocity = domain.velocity;
  Simulation simulation = runner.start(domain, static_cast<int>(last_time / domain.dt));
  simulation.set_source({57, 57, 57}, ricker_samples(10, 0.12, domain.dt, 120));
  const double filled = energy_after(simulation, domain, 0.3);
  return std::abs(energy_after(simulation, domain, last_time)) / filled;
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      "2000 m/s, 20 m, 0.8 of the limit, Ricker 10 Hz until 0.3 s; what the leapfrog conserves,",
      "sum ((u+ - u)/(V dt))^2 - u laplacian(u+), float32 fields summed in double:",
      "its greatest relative change until 3 s in a closed box of 60^3 points, and what is left of it at",
      "3 s in 114^3 points with a PML of 27"};
  Picture picture;
  report.figures = {at_most("drift_in_a_closed_box", drift(runner, picture), 1e-7),
                    at_most("left_by_the_pml", left_by_pml(runner), 1e-6)};
  report.pictures = {picture};
  return report;
}

}  // namespace

CaseBody body() {
  return {"conserved in a closed box, taken out by the PML", run};
}

}  // namespace minimod::energy_case
