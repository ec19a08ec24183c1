/// A user's wavelet, by name and from files of each kind; bands and a minimum phase against their theory.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/wavelets/minimum_phase.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::wavelets_case {

namespace {

constexpr const char* common =
    "--model constant:2000 --spacing 10 --grid 84 --boundary cpml --pml-width 12 --dt 0.5e-3 --tmax 0.45 "
    "--source 300,300,300 --receivers line:550,300,300:550,300,300:1 --wavelet ";
constexpr double f = 10, t0 = .15, file_dt = 2e-3;  // Hz, s, s
constexpr int file_samples = 201;

double ricker(double t) {
  const double a = std::pow(std::numbers::pi * f * (t - t0), 2);
  return (1 - 2 * a) * std::exp(-a);
}

/// The samples one a line, with their times or alone.
std::string rows(bool with_times) {
  std::string all;
  for (int n = 0; n < file_samples; ++n) {
    const double t = n * file_dt;
    all += with_times ? text(t, ' ', ricker(t), '\n') : text(ricker(t), '\n');
  }
  return all;
}

/// A dataset /s with its attribute dt.
std::string write_hdf5(const std::filesystem::path& file) {
  std::vector<double> samples;
  samples.reserve(file_samples);
  for (int n = 0; n < file_samples; ++n) samples.push_back(ricker(n * file_dt));
  const Hdf5Writer writer(file);
  const hdf5::Handle dataset = writer.dataset("s", {file_samples}, samples, H5T_IEEE_F64LE);
  Hdf5Writer::attribute(dataset, "dt", std::vector{file_dt});
  return file.string();
}

// ---- bands ----

constexpr const char* of_a_band =
    "--model constant:2000 --spacing 10 --grid 48 --boundary cpml --pml-width 10 --dt 0.5e-3 --tmax 1.65 "
    "--source 50,130,130 --receivers line:200,130,130:200,130,130:1 --wavelet ";
constexpr double band_dt = 0.5e-3, band_offset = 150, corners[] = {4, 8, 14, 18};  // s, m, Hz

/// Spectrum of samples `band_dt` apart, from the first on.
std::complex<double> spectrum_at(const std::vector<double>& samples, double frequency) {
  const std::complex<double> turn = std::polar(1.0, -2 * std::numbers::pi * frequency * band_dt);
  std::complex<double> sum = 0;
  for (auto s = samples.rbegin(); s != samples.rend(); ++s) sum = sum * turn + *s;
  return band_dt * sum;
}

/// An Ormsby wavelet's, of a peak of 1.
double trapezoid(double frequency) {
  const double rising = (frequency - corners[0]) / (corners[1] - corners[0]),
               falling = (corners[3] - frequency) / (corners[3] - corners[2]);
  return std::clamp(std::min(rising, falling), 0.0, 1.0);
}

/// The greatest difference of an Ormsby wavelet's spectrum from it, `away` or more from all corners, Hz.
double error_of_trapezoid(const std::vector<double>& samples, double away) {
  const double peak = corners[3] + corners[2] - corners[1] - corners[0];
  double greatest = 0;
  for (double frequency = 0.1; frequency < 60; frequency += 0.2) {
    if (std::ranges::any_of(corners, [&](double c) { return std::abs(frequency - c) < away; })) continue;
    const double amplitude = peak * std::abs(spectrum_at(samples, frequency));
    greatest = std::max(greatest, std::abs(amplitude - trapezoid(frequency)));
  }
  return greatest;
}

/// The trace of a shot against its own signature, r / V late.
double error_of_arrival(const UserShot& shot) {
  const std::vector<double>& s = shot.plan.first.wavelet().samples;
  const auto late = static_cast<std::size_t>(std::lround(band_offset / 2000 / band_dt));
  std::vector<double> exact(shot.traces[0].size());
  for (std::size_t n = late; n < exact.size(); ++n) {
    exact[n] = s[n - late] / (4 * std::numbers::pi * band_offset);
  }
  return relative_l2(shot.traces[0], exact);
}

/// The phase that a causal signature has whose inverse is causal, too, by Bode's relation: (2 f / π) times
/// the principal value of ∫ (ln A(ν) − ln A(f)) / (ν² − f²) dν. A: the amplitude of `samples` with the floor
/// that src/wavelets/minimum_phase.hpp states.
class MinimumPhase {
 public:
  MinimumPhase(const std::vector<double>& samples, double f_max) : f_max_(f_max) {
    for (std::size_t i = 0; i < 2 * measured; ++i) {
      amplitudes_.push_back(std::abs(spectrum_at(samples, static_cast<double>(i) * step / 2)));
    }
    greatest_ = *std::ranges::max_element(amplitudes_);
  }
  /// At multiples of 2 `step`.
  [[nodiscard]] double at(double frequency) const {
    const double own = logarithm(frequency);
    double sum = 0, width = step;
    for (double v = step / 2; v < 1e6 * f_max_; v += width) {
      if (v > static_cast<double>(measured) * step) width = 0.01 * v;
      sum += width * (logarithm(v) - own) / (v * v - frequency * frequency);
    }
    return 2 * frequency / std::numbers::pi * sum;
  }

 private:
  static constexpr double step = 0.02;  // Hz
  static constexpr std::size_t measured = 3000;

  [[nodiscard]] double logarithm(double frequency) const {
    const auto i = static_cast<std::size_t>(std::lround(2 * frequency / step));
    const double floor = minimum_phase_floor / std::sqrt(1 + std::pow(frequency / f_max_, 8));
    return std::log(std::hypot(i < amplitudes_.size() ? amplitudes_[i] / greatest_ : 0, floor));
  }
  std::vector<double> amplitudes_;
  double f_max_ = 0, greatest_ = 0;
};

void add_minimum_phase(CaseReport& report, const UserShot& even, const UserShot& minimum) {
  const auto &zero = even.plan.first.wavelet().samples, &s = minimum.plan.first.wavelet().samples;
  const MinimumPhase theory(zero, even.plan.shared.signals.max_frequency);
  double phase = 0, amplitude = 0;
  for (double frequency = 6; frequency <= 16; frequency += 0.5) {
    phase = std::max(phase,
                     std::abs(std::arg(spectrum_at(s, frequency) * std::polar(1.0, -theory.at(frequency)))));
  }
  const double peak = std::abs(spectrum_at(zero, 11));
  for (double frequency = 0.1; frequency < 60; frequency += 0.2) {
    const double difference = std::abs(spectrum_at(s, frequency)) - std::abs(spectrum_at(zero, frequency));
    amplitude = std::max(amplitude, std::abs(difference) / peak);
  }
  double before = 0, all = 0;
  const auto a_period = static_cast<std::size_t>(1 / (11 * band_dt));
  for (std::size_t n = 0; n < s.size(); ++n) (n < 2 * a_period ? before : all) += s[n] * s[n];
  report.figures.push_back(at_most("minimum_spectrum", amplitude, 1.1e-3));
  report.figures.push_back(at_most("minimum_phase", phase, 0.01, "rad"));
  report.figures.push_back(at_least("minimum_energy", before / (before + all), 0.75));
  report.figures.push_back(at_most("minimum_arrival", error_of_arrival(minimum), 1e-2));
}

void add_bands(CaseReport& report, Runner& runner) {
  const UserShot ormsby = runner.shot(text(of_a_band, "ormsby:f=4/8/14/18"));
  const UserShot klauder = runner.shot(text(of_a_band, "klauder:f=4/18,T=6"));
  const std::vector<double>& samples = ormsby.plan.first.wavelet().samples;
  report.figures.push_back(at_most("ormsby_corners", error_of_trapezoid(samples, 0), 0.05));
  report.figures.push_back(at_most("ormsby_between", error_of_trapezoid(samples, 2.7), 1e-4));
  report.figures.push_back(at_most("ormsby_arrival", error_of_arrival(ormsby), 1e-2));
  double uneven = 0;
  const double middle = std::abs(spectrum_at(klauder.plan.first.wavelet().samples, 11));
  for (double frequency = 6; frequency <= 16; frequency += 0.25) {
    uneven = std::max(
        uneven,
        std::abs(std::abs(spectrum_at(klauder.plan.first.wavelet().samples, frequency)) / middle - 1));
  }
  report.figures.push_back(at_most("klauder_band", uneven, 0.08));
  report.figures.push_back(at_most("klauder_arrival", error_of_arrival(klauder), 1e-2));
  add_minimum_phase(report, ormsby, runner.shot(text(of_a_band, "minimum:ormsby:f=4/8/14/18")));
}

CaseReport run(Runner& runner) {
  const TemporaryDirectory folder;
  const std::string two_columns = folder.write("s.txt", rows(true)),
                    one_column = folder.write("one.txt", rows(false)),
                    hdf5_file = write_hdf5(folder.path() / "s.h5");
  CaseReport report;
  report.setup = {text("minimod ", common, "…"),
                  "the same Ricker wavelet, in files by samples of 2 ms; relative L2",
                  "against s(t - r/V) / (4 pi r)",
                  text("minimod ", of_a_band, "…"),
                  "signatures of a band: their spectra against a trapezoid and a constant, a minimum phase",
                  "against that by Bode's relation, its energy in two periods of 11 Hz, arrivals"};
  const HomogeneousShot exact{.source = {300, 300, 300}};
  const auto error = [&](const std::string& wavelet) {
    const UserShot shot = runner.shot(text(common, '"', wavelet, '"'));
    return relative_l2(shot.traces[0], exact.trace({550, 300, 300}, shot.times()));
  };
  report.figures = {at_most("named", error("ricker:f=10,t0=0.15"), 2e-4),
                    at_most("two_columns", error(two_columns), 2e-4),
                    at_most("one_column", error(one_column + "@dt=2e-3"), 2e-4),
                    at_most("hdf5", error(hdf5_file + ":/s"), 2e-4)};
  add_bands(report, runner);
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's wavelet, named and from files of each kind", run};
}

}  // namespace minimod::wavelets_case
