/// A plane wave in a periodic box in double: its frequency is that of the dispersion relation, which every
/// run prints its predicted phase error from.
#include "src/solver/numerics/dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/convergence.hpp"
#include "validation/cases/means/float64_run.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::dispersion_case {

namespace {

constexpr Extent3 box{24, 20, 16};
constexpr double h = 10, velocity = 2000, share_of_limit = 0.8, tolerance = 1e-10;
constexpr int steps = 400;

/// A plane wave with these periods in a box along each axis, and the stencil that it meets.
struct Wave {
  Index3 periods;
  Extent3 n = box;
  int radius = stencil_radius;

  [[nodiscard]] Point3 k() const {
    const auto along = [](int count, int points) { return 2 * std::numbers::pi * count / (points * h); };
    return {along(periods.x, n.x), along(periods.y, n.y), along(periods.z, n.z)};
  }
  [[nodiscard]] double dt() const { return share_of_limit * stable_dt_limit(velocity, {h, h, h}, radius); }
  /// Frequency of the relation.
  [[nodiscard]] double omega() const { return numerical_frequency(k(), velocity, {h, h, h}, dt(), radius); }
};

/// A wave of the run, against the relation's.
struct Measured {
  double omega;        ///< frequency in the run
  double field_error;  ///< greatest difference from the wave of the relation, whose amplitude is 1
};

Measured run_wave(const Wave& wave) {
  const Point3 k = wave.k();
  const double dt = wave.dt(), omega = wave.omega();
  const auto phase = [&](Index3 p) { return h * (k.x * p.x + k.y * p.y + k.z * p.z); };

  Domain domain{wave.n, h, dt, velocity};
  domain.radius = wave.radius;
  Float64Run run(domain, Edges::periodic);
  run.set([&](Index3 p) { return std::cos(phase(p) + omega * dt); },
          [&](Index3 p) { return std::cos(phase(p)); });
  for (int n = 0; n < steps; ++n) run.step();

  Measured found{};
  std::complex<double> sum = 0;  // overlap of u with the wave of the relation: its phase is the error's
  run.for_values([&](Index3 p, double u) {
    const double expected = phase(p) - omega * dt * steps;
    sum += u * std::polar(1.0, -expected);
    found.field_error = std::max(found.field_error, std::abs(u - std::cos(expected)));
  });
  found.omega = omega - std::arg(sum) / (dt * steps);
  return found;
}

/// The order in space: the slope over the spacing of the error that the stencil makes of ω, of waves with 8
/// to 12 points a wavelength; what the time step makes of it is known, sin(ωΔt/2) = kVΔt/2.
double slope_of_order(int radius) {
  std::vector<double> spacings, errors;
  for (const int points : {8, 10, 12}) {
    const Wave wave{{1, 0, 0}, {points, most_radius, most_radius}, radius};
    const double without = 2 / wave.dt() * std::asin(velocity * wave.dt() * wave.k().x / 2);
    spacings.push_back(1.0 / points);
    errors.push_back(std::abs(run_wave(wave).omega / without - 1));
  }
  return slope(spacings, errors);
}

std::string name_of(const Wave& wave) {
  const Index3 p = wave.periods;
  const std::string order = wave.radius == stencil_radius ? "" : text("_order_", 2 * wave.radius);
  return text(order, '_', p.x, '_', p.y, '_', p.z);
}

CaseReport run(Runner& /*the host's own*/) {
  CaseReport report;
  report.setup = {
      text("periodic box of 24 x 20 x 16 points of ", h, " m, ", velocity, " m/s, ", share_of_limit,
           " of the limit, ", steps, " steps in float64 (host, reference path)"),
      "relative error of omega against sin^2(omega dt/2) = (V dt/2)^2 sum (-c0 - 2 sum c_m cos(m k h)) "
      "/ h^2,",
      "and of the field against that wave; periods in the box along x, y, z; orders 2 to 16 in space, and",
      "the slope of what they make of omega with 8, 10 and 12 points a wavelength"};
  std::vector<Wave> waves;
  for (const Index3 periods : {Index3{1, 0, 0}, {0, 2, 0}, {0, 0, 5}, {2, 3, 0}, {3, 2, 4}, {9, 7, 6}}) {
    waves.push_back({periods});
  }
  for (int radius = 1; radius <= most_radius; ++radius) {
    if (radius != stencil_radius) waves.push_back({{3, 2, 4}, box, radius});
  }
  for (const Wave& wave : waves) {
    const Measured found = run_wave(wave);
    report.figures.push_back(
        at_most("frequency" + name_of(wave), std::abs(found.omega / wave.omega() - 1), tolerance));
    report.figures.push_back(at_most("field" + name_of(wave), found.field_error, tolerance));
  }
  for (int radius = 1; radius <= most_radius; ++radius) {
    report.figures.push_back(
        at_least(text("slope_order_", 2 * radius), slope_of_order(radius), 0.95 * 2 * radius, "order"));
  }
  for (Figure& figure : report.figures) figure.kernel = float64_kernel;
  return report;
}

}  // namespace

CaseBody body() {
  return {"plane waves in a periodic box, float64: the dispersion relation, orders 2 to 16", run, true};
}

}  // namespace minimod::dispersion_case
