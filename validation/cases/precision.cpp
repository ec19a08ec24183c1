/// The cost of float: whole runs against the same runs in double; in double, that they are the same.
#include <algorithm>
#include <cmath>

#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/float64_run.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/means/wave_energy.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::precision_case {

namespace {

using papers_case::spacing, papers_case::velocity;

/// Runs in double differ by sums in another order, if by anything.
constexpr double same_in_double = 1e-10;

/// A run that both do.
struct Cube {
  std::string name;
  Domain domain;
  Index3 source;
  std::vector<Index3> receivers;
  std::vector<double> samples;
  int steps;
};

/// Outcome of a run.
struct Result {
  std::vector<std::vector<double>> traces;
  double min = 0, max = 0;
};

Result run_in_double(const Cube& problem) {
  Float64Run run(problem.domain);
  Result result{std::vector<std::vector<double>>(problem.receivers.size())};
  for (int n = 0; n < problem.steps; ++n) {
    run.step(problem.source, problem.samples[n]);
    for (std::size_t r = 0; r < problem.receivers.size(); ++r) {
      result.traces[r].push_back(run.at(problem.receivers[r]));
    }
  }
  run.for_values([&](Index3, double u) {
    result.min = std::min(result.min, u);
    result.max = std::max(result.max, u);
  });
  return result;
}

Result run_here(Runner& runner, const Cube& problem) {
  Simulation simulation = runner.start(problem.domain, problem.steps);
  simulation.set_source(problem.source, problem.samples);
  Result result{simulation.traces(problem.receivers, problem.steps)};
  for (std::vector<double>& trace : result.traces) trace.erase(trace.begin());  // the state of rest
  const Extremes found = simulation.extremes();
  result.min = found.min;
  result.max = found.max;
  return result;
}

/// The original program's cube of 100 points; its source is added to u as it is.
Cube reference_cube() {
  Domain domain{{100, 100, 100}, spacing, 1.61015301e-3, velocity};
  domain.pml_width = papers_case::layer_width;
  domain.pml_velocity = 4500;
  domain.pml_alpha = 0;
  const double courant_length = velocity * domain.dt;
  const double scale = courant_length * courant_length / std::pow(spacing, 3), sigma = 15;
  std::vector<double> samples(1000);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const double x = sigma * static_cast<double>(k) * domain.dt - 1;
    samples[k] = -16 * sigma * (sigma - 16 * sigma * x * x) * std::exp(-8 * x * x) / scale;
  }
  return {"reference", domain, {50, 50, 50}, {{27, 50, 50}, {27, 27, 27}}, samples, 1000};
}

/// 45 points an axis, a Ricker wavelet of 10 Hz.
Cube small_cube(const std::string& name, int pml_width, int steps) {
  Domain domain{{45, 45, 45}, spacing};
  domain.velocity = velocity;
  domain.dt = default_dt_fraction * stable_dt_limit(velocity, domain.spacing());
  domain.pml_width = pml_width;
  domain.pml_velocity = velocity;
  return {
      name, domain, {20, 22, 24}, {{27, 18, 21}, {17, 27, 28}}, ricker_samples(10, 0.12, domain.dt, steps),
      steps};
}

/// By how much of its value the energy in a closed box changes between step 1000 and the last.
double energy_change(Runner& runner, const Cube& problem) {
  Simulation simulation = runner.start(problem.domain, problem.steps);
  simulation.set_source(problem.source, problem.samples);
  const auto energy_after = [&](int step) {
    while (simulation.steps_done() < step) simulation.step();
    const auto before = simulation.wavefield();
    simulation.step();
    return wave_energy(simulation.wavefield(), before, problem.domain);
  };
  const double first = energy_after(1000);
  return std::abs(energy_after(problem.steps) / first - 1);
}

/// Over the first steps of the traces of all receivers.
double trace_error(const Result& found, const Result& right, int steps) {
  std::vector<double> a, b;
  for (std::size_t r = 0; r < right.traces.size(); ++r) {
    a.insert(a.end(), found.traces[r].begin(), found.traces[r].begin() + steps);
    b.insert(b.end(), right.traces[r].begin(), right.traces[r].begin() + steps);
  }
  return relative_l2(a, b);
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      "float32, or with --precision double float64, against float64 (host, reference path), 2000 m/s, 20 m:",
      "the original program's 100^3 points with its source at node 50, 1000 steps: extremes of the final",
      "field and relative L2 of two traces; 45^3 points, Ricker 10 Hz, in a closed box and with a PML of 15,",
      "relative L2 of two traces over 1000 and 10,000 steps; change of the energy in the closed box from",
      "step 1000 on"};
  const bool is_double = runner.options().precision == Precision::float64;
  const auto limit = [is_double](double of_float) { return is_double ? same_in_double : of_float; };
  const Cube reference = reference_cube();
  const Result right = run_in_double(reference), found = run_here(runner, reference);
  report.figures = {within("reference_min", found.min, right.min, limit(3e-5), source_unit),
                    within("reference_max", found.max, right.max, limit(3e-5), source_unit),
                    at_most("reference_traces", trace_error(found, right, reference.steps), limit(5e-6))};
  struct Limits {
    const char* name;
    int pml_width;
    double after_1000, after_10000;
  };
  for (const Limits& limits : {Limits{"closed", 0, 1e-5, 1e-4}, {"pml", 15, 2e-6, 2e-6}}) {
    const std::string name = limits.name;
    const Cube problem = small_cube(name, limits.pml_width, 10'000);
    const Result exact = run_in_double(problem), rounded = run_here(runner, problem);
    report.figures.push_back(
        at_most(name + "_1000", trace_error(rounded, exact, 1000), limit(limits.after_1000)));
    report.figures.push_back(
        at_most(name + "_10000", trace_error(rounded, exact, 10'000), limit(limits.after_10000)));
  }
  report.figures.push_back(
      at_most("closed_energy", energy_change(runner, small_cube("closed_energy", 0, 10'000)), limit(3e-7)));
  return report;
}

}  // namespace

CaseBody body() {
  return {"whole runs against the same in double on the host", run};
}

}  // namespace minimod::precision_case
