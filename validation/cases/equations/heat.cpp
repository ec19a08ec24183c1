/// The steady heat of plates in double against its series: the error of the five-point difference falls with
/// the square of the spacing, whatever kernel and order relax it.
#include <cmath>

#include "src/relaxation/heat_measurement.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::heat_case {

namespace {

using namespace relaxation;

constexpr double tolerance = 1e-13;

struct PlateCase {
  const char* name;
  Sides sides;
  double length_y;  ///< m; 1 m along x
  double limit;     ///< limit of the error on the finest grid
};

struct Solved {
  double error = 0;
  double iterations = 0;  ///< over those of theory
};

Solved solve(Backend& backend, const Kernel& kernel, const PlateCase& plate, int nodes) {
  HeatProblem problem = make_heat_problem({nodes, nodes, 1});
  problem.length_y = plate.length_y;
  problem.sides = plate.sides;
  const double omega = best_omega(problem);
  const auto solver = make_plate_solver(backend, kernel, problem, omega, Precision::float64);
  solver->start_cold();
  const Convergence outcome = solver->converge(make_stop_rule(problem, omega, tolerance));
  return {error_of(problem, solver->temperatures()),
          outcome.iterations / expected_iterations(problem, omega, 1 / tolerance)};
}

/// Adds the slope, and of the finest grid the error and the iterations.
void add_plate_figures(Backend& backend, const Kernel& kernel, const PlateCase& plate, CaseReport& report) {
  constexpr int finest = 127;
  std::vector<double> spacings, errors;
  Solved found;
  for (int nodes = 15; nodes <= finest; nodes = 2 * nodes + 1) {
    found = solve(backend, kernel, plate, nodes);
    spacings.push_back(1.0 / (nodes + 1));
    errors.push_back(found.error);
  }
  const std::string name = text(plate.name, '_', kernel.name);
  const auto add = [&](Figure figure) {
    figure.kernel = kernel.name;
    report.figures.push_back(figure);
  };
  add(within("slope_" + name, slope(spacings, errors), 2, 0.03, "order"));
  add(at_most("error_" + name, found.error, plate.limit));
  add(within("iterations_" + name, found.iterations, 1, 0.15));
  report.pictures.push_back(draw_convergence(name, "h (m)", spacings, errors, 2));
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      "plates of 1 m by 1 m (north at 100, else 0 C) and 1 m by 0.6 m (sides at 20, -10, 70, 100 C) with",
      "15^2, 31^2, 63^2 and 127^2 nodes, float64, over-relaxed by the best omega until a defect of 1e-13:",
      "greatest difference from the series in the inner half, relative to 100 C; iterations over those of",
      "Young's theory; kernels without the bits of kokkos after 20 iterations on 61 x 45 random nodes"};
  const auto backend =
      runner.on_gpu() ? gpu_devices.make(runner.options().device.index) : make_host_backend();
  int other_bits = 0;
  for (const Kernel& kernel : all_kernels()) {
    if (!runs_on(kernel, runner.on_gpu())) continue;
    if (kernel.is_red_black) {
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        other_bits += is_right(*backend, kernel, precision) ? 0 : 1;
      }
    }
    if (!runner.on_gpu() && kernel.emulated) continue;
    for (const PlateCase& plate : {PlateCase{"one_side", {0, 0, 0, 100}, 1, 2.2e-5},
                                   {"four_sides", {20, -10, 70, 100}, 0.6, 4.2e-5}}) {
      add_plate_figures(*backend, kernel, plate, report);
    }
  }
  report.figures.push_back(at_most("kernels_of_other_bits", other_bits, 0, "kernels"));
  return report;
}

}  // namespace

CaseBody body() {
  return {"steady heat of plates, float64: relaxation against the series of sines", run};
}

}  // namespace minimod::heat_case
