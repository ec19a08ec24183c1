/// Errors that the steps in time and the differences in space make in a user's shot, as they are and by
/// default.
#include "src/base/error.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/ricker_error.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::time_step_case {

namespace {

/// A shot along x, of a Ricker wavelet at 2000 m/s.
struct Line {
  const char* options;
  double frequency, t0, spacing;  // Hz, s, m
  Point3 source;                  // m
  std::vector<double> offsets;    // m
};

// Ten points per wavelength at the peak, four at f_max.
const Line coarse{
    "--model constant:2000 --spacing 20 --grid 110,48,48 --boundary cpml --pml-width 10 --wavelet "
    "ricker:f=10,t0=0.15 --tmax 1.1 "
    "--source 140,280,280 --receivers line:640,280,280:1640,280,280:3 --stencil-weights ",
    10,
    0.15,
    20,
    {140, 280, 280},
    {500, 1000, 1500}};
const Line fine{
    "--model constant:2000 --spacing 5 --grid 160,104,104 --boundary cpml --pml-width 10 --wavelet "
    "ricker:f=12,t0=0.125 --dt 1e-3 "
    "--tmax 0.5 --source 50,210,210 --receivers line:650,210,210:650,210,210:1 --stencil-weights ",
    12,
    0.125,
    5,
    {50, 210, 210},
    {600}};

struct Errors {
  std::vector<double> found, predicted;
};

/// Relative L2 against s(t − r/V) / (4πr), and what the grid and the uncorrected steps leave in theory.
Errors errors_of(Runner& runner, const Line& line, const char* setting) {
  const UserShot shot = runner.shot(text(line.options, setting));
  const HomogeneousShot exact{.frequency = line.frequency, .t0 = line.t0, .source = line.source};
  const TimeAxis& time = shot.plan.shared.time();
  const double dt = time.dispersion == TimeDispersion::corrected ? 0 : time.dt;
  Errors errors;
  for (std::size_t i = 0; i < line.offsets.size(); ++i) {
    const Point3 receiver{line.source.x + line.offsets[i], line.source.y, line.source.z};
    errors.found.push_back(relative_l2(shot.traces[i], exact.trace(receiver, shot.times())));
    errors.predicted.push_back(predicted_ricker_error(line.offsets[i], 1, line.frequency, exact.velocity,
                                                      line.spacing, dt,
                                                      shot.plan.shared.grid().difference()));
  }
  return errors;
}

void add(CaseReport& report, const Line& line, const Errors& errors, const std::string& name,
         double tolerance) {
  for (std::size_t i = 0; i < line.offsets.size(); ++i) {
    const double wanted = errors.predicted[i];
    report.figures.push_back(
        within(text(name, '_', line.offsets[i], "_m"), errors.found[i], wanted, tolerance * wanted));
  }
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      text("minimod ", coarse.options, "…"), text("minimod ", fine.options, "… (fine)"),
      "relative L2 against s(t - r/V) / (4 pi r), and in theory: as it is of the steps in time and in",
      "space, corrected of those in space alone; by Taylor's weights and by those of minimax"};
  add(report, coarse, errors_of(runner, coarse, "taylor --time-dispersion as-is"), "as_is", 0.03);
  add(report, coarse, errors_of(runner, coarse, "taylor"), "taylor", 0.03);
  add(report, coarse, errors_of(runner, coarse, "minimax"), "minimax", 0.06);
  add(report, fine, errors_of(runner, fine, "taylor --time-dispersion as-is"), "fine_as_is", 0.03);
  report.figures.push_back(at_most("fine_taylor_600_m", errors_of(runner, fine, "taylor").found[0], 2.5e-4));
  report.figures.push_back(
      at_most("fine_minimax_600_m", errors_of(runner, fine, "minimax").found[0], 3.2e-4));
  return report;
}

}  // namespace

CaseBody body() {
  return {"steps in time and differences in space of a user's shot: their error as it is, and by default",
          run};
}

}  // namespace minimod::time_step_case
