#include "src/relaxation/heat_measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace minimod::relaxation {

namespace {

constexpr Extent3 awkward_plate{61, 45, 1};

std::vector<double> after_some_iterations(Backend& backend, const Kernel& kernel, Precision precision) {
  constexpr int some_iterations = 20;
  constexpr double some_omega = 1.7;
  const auto solver =
      make_plate_solver(backend, kernel, make_heat_problem(awkward_plate), some_omega, precision);
  solver->randomize(1);
  solver->relax(some_iterations);
  return solver->temperatures();
}

/// Whether it comes to the field of the portable kernel.
bool comes_to_the_same(Backend& backend, const Kernel& kernel) {
  constexpr double tight = 1e-14, limit = 1e-11;
  const HeatProblem problem = make_heat_problem(awkward_plate);
  const double omega = best_omega(problem);
  const auto field_of = [&](const Kernel& of) {
    const auto solver = make_plate_solver(backend, of, problem, omega, Precision::float64);
    solver->start_cold();
    static_cast<void>(solver->converge(make_stop_rule(problem, omega, tight)));
    return solver->temperatures();
  };
  const std::vector<double> found = field_of(kernel), right = field_of(find_kernel(portable_kernel));
  return std::ranges::equal(found, right,
                            [&](double a, double b) { return std::abs(a - b) <= limit * problem.scale(); });
}

}  // namespace

bool is_right(Backend& backend, const Kernel& kernel, Precision precision) {
  if (!kernel.is_red_black) return comes_to_the_same(backend, kernel);
  const std::unique_ptr<Backend> host = make_host_backend();
  return after_some_iterations(backend, kernel, precision) ==
         after_some_iterations(*host, find_kernel(portable_kernel), precision);
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

Spread HeatMeasurement::mcell_per_s(const HeatSetup& setup) const {
  const double cells = 1e-6 * setup.iterations * static_cast<double>(setup.problem.n.points());
  return {cells / seconds.max, cells / seconds.median, cells / seconds.min};
}

HeatMeasurement measure_heat(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  using Clock = std::chrono::steady_clock;
  const auto solver = make_plate_solver(backend, kernel, setup.problem, setup.omega, setup.precision);
  HeatMeasurement m;
  m.kernel = &kernel;
  m.facts = solver->facts();
  const auto start = Clock::now();
  solver->start_cold();
  m.outcome = solver->converge(make_stop_rule(setup.problem, setup.omega, setup.tolerance));
  const std::vector<double> field = solver->temperatures();
  m.converging = std::chrono::duration<double>(Clock::now() - start).count();
  m.error = error_of(setup.problem, field);
  static_cast<void>(solver->time_run(setup.iterations));  // the warm-up
  std::vector<double> seconds, run_seconds;
  for (int run = 0; run < setup.repeats; ++run) {
    const RunTimes times = solver->time_run(setup.iterations);
    seconds.push_back(times.relaxation);
    run_seconds.push_back(times.total());
  }
  m.seconds = spread(seconds);
  m.run_seconds = spread(run_seconds);
  return m;
}

double bytes_of_node(const Kernel& kernel, Precision precision) {
  const double value = precision == Precision::float32 ? sizeof(float) : sizeof(double);
  if (!kernel.is_red_black) return 2 * value;  // one sweep
  return (kernel.storage == Storage::colours_apart ? 3 : 4) * value;
}

}  // namespace minimod::relaxation
