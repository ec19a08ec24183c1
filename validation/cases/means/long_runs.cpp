#include "validation/cases/means/long_runs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/wave_energy.hpp"

namespace minimod {

namespace {

constexpr double v_least = 1500, v_greatest = 5500, source_peak = 10, source_delay = 0.12,
                 source_end = 0.3;  // m/s, Hz, s
constexpr int looks = 20;
/// In a closed box float rounds the energy up by 1.4e-11 of it a step (0.999 of the limit, random medium).
constexpr double most_rise_a_step = 1e-10;
/// Share of the energy at which its fall ends: a wave of 1e-28 of its amplitude is down to the last numbers
/// of float, and stays there.
constexpr double end_of_float = 1e-55;

/// Growth of the energy that thin layers may have: they are not always stable where the medium is random from
/// node to node. Six points on uneven spacing let the energy grow 35-fold in 150,000 steps.
constexpr double most_growth = 100;
bool may_grow(const LongRun& run) {
  return run.kind == BoundaryKind::pml && run.width < 10 && run.medium == LongMedium::random;
}

std::string name_of(const LongRun& run) {
  std::string name = run.width == 0 ? "closed" : text(boundary_name(run.kind), '_', run.width);
  name += text('_', run.share, run.is_uneven ? "_uneven" : "");
  if (run.medium != LongMedium::constant) name += run.medium == LongMedium::layered ? "_layered" : "_random";
  return name + (run.free_surface ? "_surface" : "") + (run.has_mean ? "_mean" : "");
}

/// No axis like another. On a GPU none is shorter than three layers and 24 points; on the CPU, where points
/// are time, two layers and 5 points between them, the thinnest strip whose threshold is known, have to do.
Domain make_domain(const LongRun& run, bool on_gpu) {
  const int edge = on_gpu ? std::max(3 * run.width, 24) : std::max(2 * run.width + 5, 12);
  Domain domain{{edge, edge + 1, edge + 2}, 10};
  if (run.is_uneven) domain.stretch = {1, 0.6, 1.4};
  const int half = domain.n.z / 2;
  if (run.medium == LongMedium::layered) {
    domain.velocity_at = [half](Index3 p) { return p.z < half ? v_least : v_greatest; };
  } else if (run.medium == LongMedium::random) {
    domain.velocity_at = [](Index3 p) {
      return (v_least + v_greatest) / 2 + (v_greatest - v_least) / 2 * random_value(5, p.x, p.y, p.z);
    };
  }
  const double fastest = run.medium == LongMedium::constant ? domain.velocity : v_greatest;
  domain.dt = run.share * stable_dt_limit(fastest, domain.spacing());
  domain.kind = run.kind;
  domain.pml_width = run.width;
  domain.pml_velocity = fastest;
  domain.free_surface = run.free_surface;
  domain.frequency = source_peak;
  return domain;
}

std::vector<double> samples_of(const LongRun& run, double dt) {
  const int count = static_cast<int>(source_end / dt);
  if (!run.has_mean) return ricker_samples(source_peak, source_delay, dt, count);
  std::vector<double> samples(count);
  for (int n = 0; n < count; ++n)
    samples[n] = std::exp(-std::pow(std::numbers::pi * source_peak * (n * dt - source_delay), 2));
  return samples;
}

/// Goes on to that step, and gives the energy between it and the next.
double energy_after(Simulation& simulation, const Domain& domain, int step) {
  while (simulation.steps_done() < step) simulation.step();
  const auto before = simulation.wavefield();
  simulation.step();
  return wave_energy(simulation.wavefield(), before, domain);
}

void add_figures(CaseReport& report, Runner& runner, const LongRun& run, int steps) {
  const std::string name = name_of(run);
  try {
    const Domain domain = make_domain(run, runner.on_gpu());
    Simulation simulation = runner.start(domain, steps, run.schedule());
    const auto samples = samples_of(run, domain.dt);
    const Extent3 n = domain.n;
    simulation.set_source({n.x / 2, n.y / 2, n.z / 2 - 2}, samples);
    const int begin = static_cast<int>(samples.size());
    const double first = energy_after(simulation, domain, begin);
    double most = 0, half_way = 0, last = 0;
    for (int look = 1; look <= looks; ++look) {
      const double step = begin + static_cast<double>(steps - begin) * look / looks;
      last = energy_after(simulation, domain, static_cast<int>(step));
      most = std::isfinite(last) ? std::max(most, last) : last;
      if (2 * look == looks) half_way = last;
    }
    report.figures.push_back(
        at_most(name + ".rise", most / first - 1, run.width > 0 ? 1e-6 : most_rise_a_step * steps));
    if (run.width > 0) {
      const double left = last / std::max(half_way, end_of_float * first);
      report.figures.push_back(at_most(name + ".left", left, may_grow(run) ? most_growth : 1));
    }
  } catch (const Error& refusal) {  // the others have their turn
    report.add(name, refusal);
  }
}

}  // namespace

CaseReport report_long_runs(Runner& runner, const std::vector<LongRun>& runs, int steps) {
  CaseReport report;
  report.setup = {
      text(steps,
           " steps; names: boundary, points of its layer, share of the stability limit, uneven (10, 6,"),
      text("14 m instead of 10), layered or random (", v_least, " to ", v_greatest,
           " m/s), free surface, a source with a mean;"),
      "rise: of the energy over its value when the source ends, as a share of that; left: energy at the end",
      "over that half-way"};
  for (const LongRun& run : runs) add_figures(report, runner, run, steps);
  return report;
}

}  // namespace minimod
