/// Order of the scheme in space, in double: the error of a point source's trace over the spacing.
#include <cmath>

#include "src/base/error.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/domain.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/float64_run.hpp"
#include "validation/cases/means/ricker_error.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::order_in_space_case {

namespace {

constexpr double f = 15, t0 = 0.1, end = 0.4, dt = 0.1e-3, velocity = 2000, r = 400;
const int steps = static_cast<int>(std::lround(end / dt));

double error_at(double h) {
  const auto nodes = [&](double metres) { return static_cast<int>(std::ceil(metres / h)); };
  const Index3 source{nodes(205), nodes(350), nodes(350)};
  const Index3 receiver{source.x + nodes(r), source.y, source.z};
  const Extent3 n{source.x + nodes(605) + 1, 2 * source.y + 1, 2 * source.z + 1};
  Float64Run run({n, h, dt, velocity}, Edges::closed);
  std::vector<double> trace{0}, exact{0};
  for (int i = 0; i < steps; ++i) {
    run.step(source, ricker(i * dt, f, t0));
    trace.push_back(run.at(receiver));
    exact.push_back(point_source(r, velocity, (i + 1) * dt, f, t0));
  }
  return relative_l2(trace, exact);
}

CaseReport run(Runner& /*the host's own*/) {
  CaseReport report;
  report.setup = {
      text("V = ", velocity, " m/s, Ricker ", f, " Hz, r = ", r, " m on an axis, dt = ", dt, " s, ", steps,
           " steps in float64 (host, reference path), h = 16, 12.5, 10 m;"),
      "relative L2 against s(t - r/V) / (4 pi r); nothing returns from the box's sides before the end"};
  const std::vector<double> spacings{16, 12.5, 10};
  std::vector<double> errors;
  errors.reserve(spacings.size());
  for (const double h : spacings) errors.push_back(error_at(h));
  report.figures = {at_least("slope", slope(spacings, errors), 7.2, "order")};
  report.pictures = {draw_convergence("Order in space, dt = 0.1 ms, float64", "h (m)", spacings, errors, 8)};
  for (Figure& figure : report.figures) figure.kernel = float64_kernel;
  return report;
}

}  // namespace

CaseBody body() {
  return {"error over the spacing, float64: 8th order", run};
}

}  // namespace minimod::order_in_space_case
