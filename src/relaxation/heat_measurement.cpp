#include "src/relaxation/heat_measurement.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/json.hpp"
#include "src/base/timer.hpp"
#include "src/measure/measurement.hpp"

namespace minimod::relaxation {

bool is_right(Backend& backend, const Kernel& kernel, Precision precision) {
  constexpr int some_iterations = 20;
  constexpr double some_omega = 1.7, tight = 1e-14, near = 1e-11;
  const HeatProblem problem = make_heat_problem({61, 45, 1});
  const auto field_of = [&](Backend& on, const Kernel& of) {
    const double omega = kernel.is_red_black ? some_omega : best_omega(problem);
    const auto solver =
        make_plate_solver(on, of, problem, omega, kernel.is_red_black ? precision : Precision::float64);
    if (kernel.is_red_black) {
      solver->randomize(1);
      solver->relax(some_iterations);
    } else {
      solver->start_cold();
      static_cast<void>(solver->converge(make_stop_rule(problem, omega, tight)));
    }
    return solver->temperatures();
  };
  const std::unique_ptr<Backend> host = make_host_backend();
  const std::vector<double> found = field_of(backend, kernel),
                            right = field_of(*host, find_kernel(portable_kernel));
  const double limit = kernel.is_red_black ? 0 : near * problem.scale();
  return std::ranges::equal(found, right, [&](double a, double b) { return std::abs(a - b) <= limit; });
}

double error_of(const HeatProblem& problem, const std::vector<double>& temperatures) {
  constexpr int most_samples = 64;  // an axis
  struct Samples {
    int first, last, step;
  };
  const auto inner_half = [](int n) {  // nodes from a quarter to three quarters of the length
    const int first = (n + 1 + 3) / 4 - 1, last = (3 * (n + 1)) / 4 - 1;
    return Samples{std::min(first, last), last, std::max(1, ceil_div(last - first + 1, most_samples))};
  };
  const Samples x = inner_half(problem.n.x), y = inner_half(problem.n.y);
  const double scale = problem.scale() > 0 ? problem.scale() : 1;
  double greatest = 0;
  for (int j = y.first; j <= y.last; j += y.step) {
    for (int i = x.first; i <= x.last; i += x.step) {
      const double exact =
          exact_temperature(problem, (i + 1) * problem.spacing_x(), (j + 1) * problem.spacing_y());
      const auto node = static_cast<std::size_t>(std::int64_t{j} * problem.n.x + i);
      greatest = std::max(greatest, std::abs(temperatures[node] - exact) / scale);
    }
  }
  return greatest;
}

const Table table_of_heat{"kernel",
                          20,
                          {{"", "iterations", 10, "/iterations", NumberForm::fixed},
                           {"", "defect", 8, "/defect", NumberForm::scientific, 1},
                           {"", "error", 9, "/error", NumberForm::scientific, 2},
                           {"", "seconds", 9, "/seconds_converging"},
                           {"", "min", 7, "/mcell_per_s/min"},
                           {"", "median", 7, "/mcell_per_s/median"},
                           {"Mcell/s", "max", 7, "/mcell_per_s/max"},
                           {"", "GB/s", 7, "/gb_per_s"},
                           {"of", "copy", 7, "/share_of_copy", NumberForm::digits, 0, 100, "%"}}};

Json measure_heat(Backend& backend, const Kernel& kernel, const HeatSetup& setup, double copy_rate) {
  const auto solver = setup.solver(backend, kernel);
  const Timer timer;
  solver->start_cold();
  const Convergence outcome = solver->converge(setup.stop_rule());
  const std::vector<double> field = solver->temperatures();
  const double converging = timer.seconds();
  static_cast<void>(solver->time_run(setup.iterations));  // the warm-up
  const std::vector<Spread> runs = spreads(setup.repeats, [&] {
    const RunTimes times = solver->time_run(setup.iterations);
    return std::vector{times.relaxation, times.total()};
  });
  const double cells = 1e-6 * setup.iterations * static_cast<double>(setup.problem.n.points());
  const Spread rate = rates(cells, runs[0]);
  const double gb_per_s = rate.median * bytes_of_node(kernel, setup.precision) * 1e-3;
  const LaunchFacts facts = solver->facts();
  return {{"name", kernel.name},
          {"family", kernel.family},
          {"verified", true},
          {"converged", outcome.converged},
          {"iterations", outcome.iterations},
          {"defect", outcome.defect},
          {"error", error_of(setup.problem, field)},
          {"seconds_converging", converging},
          {"timed_iterations", setup.iterations},
          {"seconds", to_record(runs[0])},
          {"seconds_with_copies", to_record(runs[1])},
          {"mcell_per_s", to_record(rate)},
          {"gb_per_s", gb_per_s},
          {"share_of_copy", gb_per_s / copy_rate},
          {"launch", facts.threads > 0 ? to_record(facts) : Json(nullptr)}};
}

double bytes_of_node(const Kernel& kernel, Precision precision) {
  const auto value = static_cast<double>(bytes_of(precision));
  if (!kernel.is_red_black) return 2 * value;  // one sweep
  return (kernel.storage == Storage::colours_apart ? 3 : 4) * value;
}

}  // namespace minimod::relaxation
