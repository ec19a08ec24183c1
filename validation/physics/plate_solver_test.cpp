/// Plates that are relaxed until they converge.
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/relaxation/heat_measurement.hpp"

namespace minimod::relaxation {

namespace {

Convergence outcome_of(Backend& backend, const Kernel& kernel, const HeatProblem& problem,
                       Precision precision) {
  const double omega = best_omega(problem);
  const auto solver = make_plate_solver(backend, kernel, problem, omega, precision);
  solver->start_cold();
  return solver->converge(make_stop_rule(problem, omega, 1e-6));
}

}  // namespace

TEST_CASE("All red-black kernels converge in as many iterations", "[physics]") {
  const Precision precision = GENERATE(Precision::float32, Precision::float64);
  const auto backend = make_host_backend();
  const HeatProblem problem = make_heat_problem({43, 30, 1});
  const Convergence expected = outcome_of(*backend, find_kernel(portable_kernel), problem, precision);
  CHECK(expected.converged);
  const double theory = expected_iterations(problem, best_omega(problem), 1e6);
  CHECK(std::abs(expected.iterations / theory - 1) < 0.5);
  for (const Kernel& kernel : all_kernels()) {
    CAPTURE(kernel.name);
    CHECK(is_right(*backend, kernel, precision));
    if (!kernel.is_red_black) continue;
    const Convergence found = outcome_of(*backend, kernel, problem, precision);
    CHECK(found.iterations == expected.iterations);
    CHECK(found.defect == expected.defect);
  }
}

TEST_CASE("The best omega converges sooner than others", "[physics]") {
  const auto backend = make_host_backend();
  const HeatProblem problem = make_heat_problem({60, 60, 1});
  const auto iterations = [&](double omega) {
    const auto solver =
        make_plate_solver(*backend, find_kernel(portable_kernel), problem, omega, Precision::float64);
    solver->start_cold();
    const Convergence outcome = solver->converge(make_stop_rule(problem, omega, 1e-10));
    CHECK(outcome.converged);
    return outcome.iterations;
  };
  const double best = best_omega(problem);
  const int least = iterations(best);
  CHECK(least < iterations(best - 0.05));
  CHECK(least < iterations(best + 0.04));
  CHECK(10 * least < iterations(1));
}

TEST_CASE("A plate that does not converge is given up", "[physics]") {
  const auto backend = make_host_backend();
  const auto solver = make_plate_solver(*backend, find_kernel(portable_kernel),
                                        make_heat_problem({20, 20, 1}), 1.5, Precision::float32);
  solver->start_cold();
  const Convergence outcome = solver->converge({1e-12, 10, 300});
  CHECK(!outcome.converged);
  CHECK(outcome.iterations == 300);
}

TEST_CASE("Every kernel of a plate gives the host's bits on the GPU, and converges as soon", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0), host = make_host_backend();
  const HeatProblem problem = make_heat_problem({300, 201, 1});
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Convergence expected = outcome_of(*host, find_kernel(portable_kernel), problem, precision);
    for (const Kernel& kernel : all_kernels()) {
      if (!runs_on(kernel, true)) continue;
      CAPTURE(kernel.name);
      CHECK(is_right(*gpu, kernel, precision));
      const Convergence found = outcome_of(*gpu, kernel, problem, precision);
      CHECK(found.iterations == expected.iterations);
      CHECK(found.defect == expected.defect);
    }
  }
}

}  // namespace minimod::relaxation
