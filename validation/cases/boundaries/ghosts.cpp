/// A user's marine shot: the ghosts of a source and of a receiver a few metres below the free surface.
#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/error.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::ghosts_case {

namespace {

constexpr const char* common =
    "--model constant:1500 --spacing 2.5 --grid 84,84,116 --boundary cpml --pml-width 12 --free-surface "
    "--wavelet ricker:f=60,t0=0.025 --dt 0.25e-3 --tmax 0.24 ";
constexpr double velocity = 1500, least = 20, most = 140, step = 0.25;  // m/s, Hz
constexpr double judged = 110;  // Hz, up to where the grid carries waves well

struct Ghost {
  std::vector<double> f, measured, exact;  ///< Hz; spectrum over that of the wave without its ghost
};

std::complex<double> transform(const std::vector<double>& trace, const std::vector<double>& times, double f) {
  std::complex<double> sum = 0;
  for (std::size_t n = 0; n < trace.size(); ++n) {
    sum += trace[n] * std::polar(1.0, -2 * std::numbers::pi * f * times[n]);
  }
  return sum;
}

Ghost ghost(Runner& runner, const std::string& options, Point3 source, Point3 receiver) {
  const UserShot shot = runner.shot(common + options);
  const auto times = shot.times();
  const HomogeneousShot exact{velocity, 60, .025, source};
  const auto alone = exact.trace(receiver, times), both = exact.trace_under_surface(receiver, times);
  Ghost ghost;
  for (double f = least; f <= most; f += step) {
    const double wave = std::abs(transform(alone, times, f));
    ghost.f.push_back(f);
    ghost.measured.push_back(std::abs(transform(shot.traces[0], times, f)) / wave);
    ghost.exact.push_back(std::abs(transform(both, times, f)) / wave);
  }
  return ghost;
}

/// Where the curve is least above half its range, Hz.
double notch(const Ghost& ghost) {
  std::size_t best = ghost.f.size() / 3;
  for (std::size_t i = best; i < ghost.f.size(); ++i) {
    if (ghost.measured[i] < ghost.measured[best]) best = i;
  }
  return ghost.f[best];
}

/// Greatest difference of the curves up to `judged`, over the greatest value.
double worst(const Ghost& ghost) {
  double difference = 0, greatest = 0;
  for (std::size_t i = 0; i < ghost.f.size() && ghost.f[i] <= judged; ++i) {
    difference = std::max(difference, std::abs(ghost.measured[i] - ghost.exact[i]));
    greatest = std::max(greatest, ghost.exact[i]);
  }
  return difference / greatest;
}

CaseReport run(Runner& runner) {
  const Ghost source =
      ghost(runner, "--source 75,75,6 --receivers line:75,75,206:75,75,206:1", {75, 75, 6}, {75, 75, 206});
  const Ghost receiver =
      ghost(runner, "--source 75,75,206 --receivers line:75,75,8:75,75,8:1", {75, 75, 206}, {75, 75, 8});
  CaseReport report;
  report.setup = {text("minimod ", common),
                  "a source 6 m and a receiver 8 m below the surface, the other one 200 m deeper:",
                  "the spectrum over that of the wave without its ghost, 20 to 110 Hz; notches at V/2z"};
  report.figures = {at_most("source_ghost", worst(source), 3e-3),
                    at_most("receiver_ghost", worst(receiver), 3e-3),
                    within("source_notch", notch(source), velocity / 12, 0.5, "Hz"),
                    within("receiver_notch", notch(receiver), velocity / 16, 0.5, "Hz")};
  report.pictures = {{"Ghosts of a source 6 m and of a receiver 8 m deep",
                      "f (Hz)",
                      "spectrum over that without the ghost",
                      false,
                      false,
                      {{"exact, source", source.f, source.exact},
                       {"minimod, source", source.f, source.measured},
                       {"exact, receiver", receiver.f, receiver.exact},
                       {"minimod, receiver", receiver.f, receiver.measured}}}};
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's marine shot: ghosts of source and receiver", run};
}

}  // namespace minimod::ghosts_case
