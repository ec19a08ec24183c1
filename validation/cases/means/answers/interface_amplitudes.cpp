#include "validation/cases/means/answers/interface_amplitudes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/answers/stack_reflection.hpp"
#include "validation/cases/means/model_file.hpp"

namespace minimod {

namespace {

using Complex = std::complex<double>;

constexpr double v1 = 1500, v2 = 2500;  // m/s
constexpr double lowest = 6, apart = 2, highest = 28.3, thin_band = 16, wedge_band = 22,
                 damp = 0.5;  // Hz; 1/s
constexpr Point3 source{300, 150, 100};
constexpr double receiver_below = 40, far_below = 240;  // m, along the normal of the interface
constexpr const char* common =
    "--boundary cpml --pml-width 10 --wavelet ricker:f=15,t0=0.1 --allow-dispersion ";

std::vector<Complex> frequencies() {
  std::vector<Complex> all;
  for (double f = lowest; f < highest; f += apart) all.emplace_back(2 * std::numbers::pi * f, damp);
  all.emplace_back(2 * std::numbers::pi * highest, damp);
  return all;
}

/// Source and receivers, the near one for the reflection and the far one for the direct wave alone, on a line
/// down along a normal that leans by `slope` along x.
std::string line(double slope) {
  const double length = std::hypot(1, slope);
  const auto point = [&](double below) {
    return text(source.x + below * slope / length, ",150,", source.z + below / length);
  };
  return text(common, "--source 300,150,100 --receivers line:", point(receiver_below), ':', point(far_below),
              ":2 ");
}

/// Shots with reflections and the same without, by which they are measured.
class Soundings {
 public:
  Soundings(Runner& runner, double slope, const std::string& grid)
      : runner_(runner), line_(line(slope)), plain_(runner.shot(line_ + grid + "--model constant:1500")) {}

  /// The reflection's spectra over that of the direct wave at the far receiver.
  [[nodiscard]] std::vector<Complex> spectra(const std::string& options) const {
    const UserShot shot = runner_.shot(line_ + options);
    std::vector<double> reflected = shot.traces[0];
    for (std::size_t n = 0; n < reflected.size(); ++n) reflected[n] -= plain_.traces[0][n];
    const double dt = shot.times()[1];
    std::vector<Complex> all;
    for (const Complex omega : frequencies()) {
      all.push_back(spectrum_at(reflected, dt, omega) / spectrum_at(plain_.traces[1], dt, omega));
    }
    return all;
  }

 private:
  Runner& runner_;
  std::string line_;
  UserShot plain_;
};

/// Exact amplitudes of the reflection.
std::vector<Complex> exact(const std::vector<StackLayer>& layers, double heights) {
  std::vector<Complex> all;
  for (const Complex omega : frequencies()) {
    const Complex mirror = far_below / heights * std::exp(Complex(0, 1) * omega * (heights - far_below) / v1);
    all.push_back(mirror * stack_reflection(layers, heights, omega));
  }
  return all;
}

/// The greatest relative difference of amplitudes up to `last` Hz.
double worst(const std::vector<Complex>& found, const std::vector<Complex>& expected, double last = highest) {
  const std::vector<Complex> at = frequencies();
  double greatest = 0;
  for (std::size_t i = 0; i < found.size() && at[i].real() < 2 * std::numbers::pi * (last + 0.1); ++i) {
    greatest = std::max(greatest, std::abs(std::abs(found[i]) / std::abs(expected[i]) - 1));
  }
  return greatest;
}

/// A figure that is held to 2 % within a band, and one of the whole.
void add_up_to(CaseReport& report, const std::string& name, double last, const std::vector<Complex>& found,
               const std::vector<Complex>& expected) {
  report.figures.push_back(
      at_most(text("amplitude_", name, "_to_", last), worst(found, expected, last), 0.02));
  report.figures.push_back(at_most(text("amplitude_", name), worst(found, expected), 0.12));
}

double heights_above(double depth) {
  return 2 * (depth - source.z) - receiver_below;
}

void add_layers(CaseReport& report, Runner& runner) {
  const std::string grid = "--spacing 10 --grid 81,51,71 --dt 1e-3 --tmax 0.65 ";
  const Soundings soundings(runner, 0, grid);
  double greatest = 0;
  for (int ninth = 0; ninth < 9; ++ninth) {
    const double depth = 390 + 10.0 * ninth / 9;
    greatest = std::max(greatest, worst(soundings.spectra(text(grid, "--model layered:1500@0,2500@", depth)),
                                        exact({{0, v1}, {depth, v2}}, heights_above(depth))));
  }
  report.figures.push_back(at_most("amplitude_nine_depths", greatest, 0.02));
  for (const double thick : {3.0, 5.0, 8.0}) {
    const double top = 393, bottom = top + thick;
    add_up_to(report, text("layer_of_", thick), thin_band,
              soundings.spectra(text(grid, "--model layered:1500@0,2500@", top, ",1500@", bottom)),
              exact({{0, v1}, {top, v2}, {bottom, v1}}, heights_above(top)));
  }
}

/// From a section of nodes 2.5 m apart, with an interface that leans.
void add_sections(CaseReport& report, Runner& runner) {
  const TemporaryDirectory folder;
  constexpr double h = 2.5, slope = 0.1;
  const auto section = [&](const char* name, const std::function<double(double, double)>& velocity) {
    return write_model(folder.path() / name, {241, 1, 161}, h,
                       [&](Index3 p) { return static_cast<float>(velocity(h * p.x, h * p.z)); });
  };
  const std::string grid = "--spacing 10 --grid 81,51,61 --dt 1e-3 --tmax 0.5 ";
  const std::string coarse = "--extrude 31 --dt 1e-3 --tmax 0.5 --decimate 4 --model ";
  // The dip's normal leans towards −x: (−slope, 1).
  const auto dipping = [](double x) { return 277.3 + slope * (x - source.x); };
  const std::string dip = section("dip.h5", [&](double x, double z) { return z < dipping(x) ? v1 : v2; });
  const double height = (dipping(source.x) - source.z) / std::hypot(1, slope);
  report.figures.push_back(at_most("amplitude_dip",
                                   worst(Soundings(runner, -slope, grid).spectra(coarse + dip),
                                         exact({{0, v1}, {1, v2}}, 2 * height - receiver_below)),
                                   0.02));
  const std::string wedge = section("wedge.h5", [&](double x, double z) {
    return z < 277 || z > 277 + std::max(0.0, 0.15 * (x - 200)) ? v1 : v2;
  });
  const std::string fine = "--spacing 5 --dt 0.5e-3 --tmax 0.5 ";
  add_up_to(
      report, "wedge", wedge_band, Soundings(runner, 0, grid).spectra(coarse + wedge),
      Soundings(runner, 0, fine + "--grid 141,81,101 ").spectra(fine + "--extrude 61 --model " + wedge));
}

}  // namespace

void add_amplitudes(CaseReport& report, Runner& runner) {
  report.setup.emplace_back(
      "amplitude_…: the spectrum of a reflection, 6 to 28.3 Hz (f_max / 1.3 where f_max has 4.08 points per "
      "wavelength),");
  report.setup.emplace_back(
      "straight above an interface, a layer of so many m, or a dipping interface, against Sommerfeld's "
      "integral; a wedge against h = 5 m");
  report.setup.emplace_back(text("minimod ", line(0), "--spacing 10 --dt 1e-3 …"));
  add_layers(report, runner);
  add_sections(report, runner);
}

}  // namespace minimod
