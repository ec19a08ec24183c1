/// Theory of a plate and its relaxation, against other ways to the same numbers.
#include "src/relaxation/heat_problem.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace minimod::relaxation {

namespace {

HeatProblem plate(Extent3 n, Sides sides, double length_x, double length_y) {
  HeatProblem problem = make_heat_problem(n);
  problem.sides = sides;
  problem.length_x = length_x;
  problem.length_y = length_y;
  return problem;
}

}  // namespace

TEST_CASE("The series of a plate", "[unit]") {
  const HeatProblem even = plate({5, 5, 1}, {40, 40, 40, 40}, 3, 0.5);
  for (const auto& [x, y] : {std::pair{1.5, 0.25}, {0.1, 0.4}, {2.9, 0.02}}) {
    CHECK(std::abs(exact_temperature(even, x, y) - 40) < 1e-10);
  }
  const HeatProblem square = plate({5, 5, 1}, {0, 0, 0, 100}, 2, 2);
  CHECK(std::abs(exact_temperature(square, 1, 1) - 25) < 1e-12);  // a quarter of the frame
  // By conformal mapping of an endless strip: a long plate's middle knows nothing of its ends.
  const HeatProblem strip = plate({5, 5, 1}, {-7, 13, 20, 60}, 100, 1);
  for (const double y : {0.1, 0.5, 0.8})
    CHECK(std::abs(exact_temperature(strip, 50, y) - (20 + 40 * y)) < 1e-9);
  const HeatProblem turned = plate({5, 5, 1}, {0, 100, 0, 0}, 2, 2);
  CHECK(std::abs(exact_temperature(turned, 1.7, 0.3) - exact_temperature(square, 0.3, 1.7)) < 1e-12);
}

TEST_CASE("The frame of a plate", "[unit]") {
  const HeatProblem problem = plate({3, 2, 1}, {1, 2, 3, 4}, 1, 1);
  CHECK(problem.frame(-1, 0) == 1);
  CHECK(problem.frame(3, 1) == 2);
  CHECK(problem.frame(2, -1) == 3);
  CHECK(problem.frame(0, 2) == 4);
  CHECK(problem.frame(3, 2) == 3);
  CHECK(problem.scale() == 4);
  CHECK(problem.spacing_x() == 0.25);
}

TEST_CASE("The best omega and what an iteration shrinks", "[unit]") {
  const Extent3 n = GENERATE(Extent3{1, 1, 1}, Extent3{1, 9, 1}, Extent3{40, 7, 1}, Extent3{500, 300, 1});
  const HeatProblem problem = plate(n, {}, 1.3, 0.7);
  const double beta2 = problem.beta() * problem.beta();
  const double mu =
      (std::cos(std::numbers::pi / (n.x + 1)) + beta2 * std::cos(std::numbers::pi / (n.y + 1))) / (1 + beta2);
  const double omega = best_omega(problem);
  CHECK(std::abs(omega - 2 / (1 + std::sqrt(1 - mu * mu))) < 1e-9);
  CHECK(std::abs(shrinkage(problem, 1) - mu * mu) < 1e-12);  // Gauss and Seidel's
  CHECK(std::abs(shrinkage(problem, omega) - (omega - 1)) < 1e-6);
  CHECK(shrinkage(problem, omega) <= shrinkage(problem, 0.99 * omega));
  CHECK(shrinkage(problem, omega) <= shrinkage(problem, 0.99 * omega + 0.02));
  CHECK(expected_iterations(problem, omega, 1e6) >= 1);
}

TEST_CASE("A plate of one node is at the mean of its sides, weighted by its cells", "[unit]") {
  const HeatProblem problem = plate({1, 1, 1}, {}, 1, 1);
  CHECK(std::abs(best_omega(problem) - 1) < 1e-12);
  CHECK(expected_iterations(problem, best_omega(problem), 1e6) == 1);
}

}  // namespace minimod::relaxation
