#include "src/relaxation/heat_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace minimod::relaxation {

namespace {

/// Temperature of a plate with one side at 1 and the others at 0. `along` in [0, 1] is the place along that
/// side. `from` is the distance from it, `depth` that of the side across, both in lengths of the side. Σ
/// 4/(πm) sin(πm along) sinh(πm (depth − from)) / sinh(πm depth), m odd, in a form without overflow.
double share_of_side(double along, double from, double depth) {
  constexpr double pi = std::numbers::pi, rounding = std::numeric_limits<double>::epsilon() / 16;
  double sum = 0;
  for (double m = 1;; m += 2) {
    const double size = std::exp(-pi * m * from) / m;
    if (size < rounding * std::exp(-pi * from)) return 4 / pi * sum;
    const double across = std::expm1(-2 * pi * m * (depth - from)) / std::expm1(-2 * pi * m * depth);
    sum += size * across * std::sin(pi * m * along);
  }
}

}  // namespace

double HeatProblem::scale() const {
  return std::max({std::abs(sides.west), std::abs(sides.east), std::abs(sides.south), std::abs(sides.north)});
}

double HeatProblem::frame(int i, int j) const {
  double sum = 0;
  int count = 0;
  const auto add = [&](bool is_there, double value) {
    if (is_there) sum += value, ++count;
  };
  add(i < 0, sides.west);
  add(i >= n.x, sides.east);
  add(j < 0, sides.south);
  add(j >= n.y, sides.north);
  return sum / count;
}

HeatProblem make_heat_problem(Extent3 n) {
  HeatProblem problem;
  problem.n = n;
  problem.length_y = (n.y + 1.0) / (n.x + 1.0);
  return problem;
}

double jacobi_gap(const HeatProblem& problem) {
  const auto gap = [](int n) {  // 1 − cos, which would cancel
    const double half = std::sin(std::numbers::pi / 2 / (n + 1));
    return 2 * half * half;
  };
  const double beta2 = problem.beta() * problem.beta();
  return (gap(problem.n.x) + beta2 * gap(problem.n.y)) / (1 + beta2);
}

double best_omega(const HeatProblem& problem) {
  const double gap = jacobi_gap(problem);
  return 2 / (1 + std::sqrt(gap * (2 - gap)));
}

double shrinkage(const HeatProblem& problem, double omega) {
  if (omega >= best_omega(problem)) return omega - 1;
  const double product = omega * (1 - jacobi_gap(problem));  // ωμ
  const double root = (product + std::sqrt(std::max(0.0, product * product - 4 * (omega - 1)))) / 2;
  return root * root;
}

double expected_iterations(const HeatProblem& problem, double omega, double factor) {
  const double shrinks = std::abs(shrinkage(problem, omega));
  return std::max(1.0, shrinks > 0 ? std::log(factor) / -std::log(shrinks) : 1.0);
}

double exact_temperature(const HeatProblem& problem, double x, double y) {
  const double lx = problem.length_x, ly = problem.length_y;
  const Sides& sides = problem.sides;
  const auto part = [](double side, double along, double from, double depth, double length) {
    return side == 0 ? 0 : side * share_of_side(along / length, from / length, depth / length);
  };
  return part(sides.west, y, x, lx, ly) + part(sides.east, y, lx - x, lx, ly) +
         part(sides.south, x, y, ly, lx) + part(sides.north, x, ly - y, ly, lx);
}

}  // namespace minimod::relaxation
