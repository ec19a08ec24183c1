/// A plane wave in a periodic box in double: its frequency is that of the dispersion relation, which every
/// run prints its predicted phase error from.
#include "src/solver/dispersion.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/error.hpp"
#include "src/solver/time_step.hpp"
#include "validation/cases/float64_run.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::dispersion_case {

namespace {

constexpr Extent3 box{24, 20, 16};
constexpr double h = 10, velocity = 2000, share_of_limit = 0.8, tolerance = 1e-10;
constexpr int steps = 400;

/// What the relation and the run make of a wave with these periods in the box along each axis.
struct Measured {
  double frequency_error;  ///< |ω of the run / ω of the relation − 1|
  double field_error;      ///< greatest difference from the wave of the relation, whose amplitude is 1
};

Measured run_wave(Index3 periods) {
  const auto wave_number = [](int count, int points) { return 2 * std::numbers::pi * count / (points * h); };
  const Point3 k{wave_number(periods.x, box.x), wave_number(periods.y, box.y), wave_number(periods.z, box.z)};
  const double dt = share_of_limit * stable_dt_limit(velocity, {h, h, h});
  const double omega = numerical_frequency(k, velocity, {h, h, h}, dt);
  const auto phase = [&](Index3 p) { return h * (k.x * p.x + k.y * p.y + k.z * p.z); };

  Float64Run run({box, h, dt, velocity}, Edges::periodic);
  run.set([&](Index3 p) { return std::cos(phase(p) + omega * dt); },
          [&](Index3 p) { return std::cos(phase(p)); });
  for (int n = 0; n < steps; ++n) run.step();

  Measured found{};
  std::complex<double> sum = 0;  // of u against the wave as the relation has it: its phase is the error's
  run.for_values([&](Index3 p, double u) {
    const double expected = phase(p) - omega * dt * steps;
    sum += u * std::polar(1.0, -expected);
    found.field_error = std::max(found.field_error, std::abs(u - std::cos(expected)));
  });
  found.frequency_error = std::abs(std::arg(sum)) / (omega * dt * steps);
  return found;
}

CaseReport run(Runner& /*the host's own*/) {
  CaseReport report;
  report.setup = {
      text("periodic box of 24 x 20 x 16 points of ", h, " m, ", velocity, " m/s, ", share_of_limit,
           " of the limit, ", steps, " steps in float64 (host, reference path)"),
      "relative error of omega against sin^2(omega dt/2) = (V dt/2)^2 sum (-c0 - 2 sum c_m cos(m k h)) "
      "/ h^2,",
      "and of the field against that wave; periods in the box along x, y, z"};
  for (const Index3 periods : {Index3{1, 0, 0}, {0, 2, 0}, {0, 0, 5}, {2, 3, 0}, {3, 2, 4}, {9, 7, 6}}) {
    const std::string name = text('_', periods.x, '_', periods.y, '_', periods.z);
    const Measured found = run_wave(periods);
    report.figures.push_back(at_most("frequency" + name, found.frequency_error, tolerance));
    report.figures.push_back(at_most("field" + name, found.field_error, tolerance));
  }
  for (Figure& figure : report.figures) figure.kernel = float64_kernel;
  return report;
}

}  // namespace

CaseBody body() {
  return {"plane waves in a periodic box, float64: the frequency of the dispersion relation", run};
}

}  // namespace minimod::dispersion_case
