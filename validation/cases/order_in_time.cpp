/// Order of the scheme in time: the error of a point source's trace over the time step.
#include <cmath>
#include <numbers>

#include "src/base/error.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/ricker_error.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::order_in_time_case {

namespace {

constexpr double f = 15, t0 = 0.1, end = 0.4, h = 20.0 / 3, velocity = 2000, r = 400;

std::vector<double> trace_at(Runner& runner, double dt) {
  const int steps = static_cast<int>(std::lround(end / dt));
  const Index3 source{31, 52, 52}, receiver{source.x + 60, source.y, source.z};  // r = 400 m
  Domain domain{{source.x + 92, 105, 105}, h, dt};
  domain.velocity = velocity;
  return runner.traces(domain, source, ricker_samples(f, t0, dt, steps), {receiver}, steps).front();
}

std::vector<double> closed_form(double dt, std::size_t samples) {
  std::vector<double> exact = times(dt, static_cast<int>(samples) - 1);
  for (double& t : exact) t = point_source(r, velocity, t, f, t0);
  return exact;
}

/// 4/3 of the difference from the trace with half the time step: the part of the error that goes with Δt².
double extrapolated_error(const std::vector<double>& trace, const std::vector<double>& finer, double dt) {
  const auto exact = closed_form(dt, trace.size());
  std::vector<double> shifted(exact);  // the closed form and that error
  for (std::size_t n = 0; n < trace.size(); ++n) shifted[n] += (trace[n] - finer[2 * n]) * 4 / 3;
  return relative_l2(shifted, exact);
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
           " m, dt = 1 to 0.125 ms; nothing returns from the box's sides;"),
      "relative L2, expected 0.0924 (r/V) dt^2 (2 pi f)^3: against s(t - r/V) / (4 pi r) where dt "
      "dominates, and",
      "4/3 of the difference from half the time step, in which 4e-5 cancel that do not go with dt: the "
      "weights of",
      "the star in float32 do not add up to 0"};
  const std::vector<double> time_steps{1e-3, 0.5e-3, 0.25e-3};
  std::vector<double> errors, finer = trace_at(runner, time_steps.back() / 2);
  for (auto dt = time_steps.rbegin(); dt != time_steps.rend(); ++dt) {
    const auto trace = trace_at(runner, *dt);
    const double predicted = predicted_error(*dt);
    const std::string name = text('_', *dt * 1e3, "ms");
    errors.insert(errors.begin(), extrapolated_error(trace, finer, *dt));
    report.figures.push_back(within("halving" + name, errors.front(), predicted, 0.02 * predicted));
    if (*dt >= 0.5e-3) {
      const double error = relative_l2(trace, closed_form(*dt, trace.size()));
      report.figures.push_back(within("closed_form" + name, error, predicted, 0.02 * predicted));
    }
    finer = trace;
  }
  report.figures.push_back(within("slope", slope(time_steps, errors), 2, 0.02, "order"));
  report.pictures = {draw_convergence(text("Order in time, h = ", h, " m"), "dt (s)", time_steps, errors, 2)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"error over the time step: 2nd order, with the predicted error", run};
}

}  // namespace minimod::order_in_time_case
