/// Order of the scheme in time: the error of a point source's trace over the time step.
#include <cmath>
#include <numbers>

#include "src/error.hpp"
#include "validation/cases/convergence.hpp"
#include "validation/cases/ricker_error.hpp"
#include "validation/cases/runner.hpp"
#include "validation/cases/verification_case.hpp"
#include "validation/shapes/field_comparison.hpp"

namespace minimod {

namespace {

constexpr double f = 15, t0 = 0.1, end = 0.4, h = 5, velocity = 2000, r = 400;

double error_at(Runner& runner, double dt) {
  const int steps = static_cast<int>(std::lround(end / dt));
  const Index3 source{41, 70, 70}, receiver{source.x + 80, source.y, source.z};  // r = 400 m
  Domain domain{{source.x + 122, 141, 141}, h, dt};
  domain.velocity = velocity;
  const auto trace =
      runner.traces(domain, source, ricker_samples(f, t0, dt, steps), {receiver}, steps).front();
  std::vector<double> exact = times(dt, steps);
  for (double& t : exact) t = point_source(r, velocity, t, f, t0);
  return relative_l2(trace, exact);
}

/// Error of the second difference in time on a Ricker wavelet after r, the leading term of its dispersion:
/// (1/24) √(∫ x¹⁰ e^(−2x²) / ∫ x⁴ e^(−2x²)) = √(315/64) / 24 = 0.0924.
double predicted_error(double dt) {
  return std::sqrt(315.0 / 64) / 24 * r / velocity * dt * dt * std::pow(2 * std::numbers::pi * f, 3);
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      text("V = ", velocity, " m/s, Ricker ", f, " Hz, r = ", r, " m on an axis, h = ", h,
           " m, dt = 1 to 0.125 ms; relative L2 against"),
      "s(t - r/V) / (4 pi r); expected: 0.0924 (r/V) dt^2 (2 pi f)^3; nothing returns from the box's "
      "sides"};
  const std::vector<double> time_steps{1e-3, 0.5e-3, 0.25e-3, 0.125e-3};
  std::vector<double> errors;
  for (const double dt : time_steps) {
    errors.push_back(error_at(runner, dt));
    const double predicted = predicted_error(dt);
    report.figures.push_back(
        within(text("error_", dt * 1e3, "ms"), errors.back(), predicted, 0.02 * predicted));
  }
  report.figures.push_back(within("slope", slope(time_steps, errors), 2, 0.02));
  report.pictures = {draw_convergence("Order in time, h = 5 m", "dt (s)", time_steps, errors, 2)};
  return report;
}

}  // namespace

CaseBody order_in_time_case() {
  return {"error over the time step: 2nd order, with the predicted error", run};
}

}  // namespace minimod
