#include "src/wavelets/time_dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/base/process/on_all_cores.hpp"

namespace minimod {

namespace {

using std::numbers::pi;

/// From 0 at 0 to 1 at 1, with all derivatives.
double smooth_step(double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double rise = std::exp(-1 / x), fall = std::exp(-1 / (1 - x));
  return rise / (rise + fall);
}

/// Frequencies whose warp is exact, radians a step of the scheme. The grid's shortest wave, two points along
/// each axis, has 0.96 with the default time step and 1.23 at the stability limit.
constexpr double exact_until = 1.5;

/// The frequency of continuous time that the scheme has at `angle`; from there to π it turns into the same
/// one, a smooth map of the circle, which spreads no sample far.
double continuous_angle(double angle) {
  const double same = smooth_step((angle - exact_until) / (pi - exact_until));
  return (1 - same) * 2 * std::sin(angle / 2) + same * angle;
}

/// Twice a good size: even.
std::size_t even_size(double at_least) {
  return 2 * good_fft_size(static_cast<std::size_t>(at_least / 2) + 1);
}

/// The real samples of a spectrum that is known from 0 on, up to the Nyquist frequency at most.
std::vector<double> samples_of(const Fft& fft, std::vector<std::complex<double>> half) {
  const std::size_t nyquist = fft.size() / 2;
  for (std::size_t j = 1; j < std::min(half.size(), nyquist); ++j) half[j] *= 2;  // for those below 0
  half.resize(fft.size());
  const std::vector<std::complex<double>> values = fft.inverse(half);
  std::vector<double> samples(values.size());
  std::ranges::transform(values, samples.begin(), [](std::complex<double> value) { return value.real(); });
  return samples;
}

/// The transpose of that, of `kept` values of the spectrum: Σ Re(half[j] transposed[j]) is
/// Σ samples_of(fft, half)[n] by_samples[n].
std::vector<std::complex<double>> transpose_samples(const Fft& fft, std::span<const double> by_samples,
                                                    std::size_t kept) {
  std::vector<std::complex<double>> values(by_samples.begin(), by_samples.end());
  values.resize(fft.size());
  std::vector<std::complex<double>> half = fft.inverse(values);
  half.resize(kept);
  for (std::size_t j = 1; j < std::min(kept, fft.size() / 2); ++j) half[j] *= 2;
  return half;
}

constexpr std::size_t continuation = 16;  // samples
constexpr double wings = 256;             // samples to which a filter of these tapers falls under 1e-8

/// Whether no wave has come: of many receivers most may lie beyond it.
template <class Real>
bool is_silent(std::span<Real> trace) {
  return std::ranges::all_of(trace, [](Real sample) { return sample == 0; });
}

/// Factor of the i-th of so many samples more.
double fade(std::size_t i, std::size_t more) {
  return 0.5 * (1 + std::cos(pi * static_cast<double>(i) / static_cast<double>(more + 1)));
}

/// The way from a signature to what is fed in so many steps.
struct Warp {
  std::size_t heard;            ///< samples of the signature that the steps may hear
  Fft fft;                      ///< transform of what is fed
  NonuniformSpectrum spectrum;  ///< spectrum of the heard samples at the frequencies of continuous time
  std::size_t fed;              ///< samples of the transform behind t = 0 that are fed

  Warp(std::size_t samples, std::size_t steps)
      : heard(std::min(samples, 2 * (steps + 64))),  // the least slope of the map is over 1/2
        fft(size_for(heard)),
        spectrum(heard, continuous_angles(fft.size())),
        fed(std::min(steps, fft.size() - static_cast<std::size_t>(wings) / 2)) {}

 private:
  static std::size_t size_for(std::size_t heard) {
    constexpr double latest = 1.7;  // where a sample goes at most, over its time: the map's greatest slope
    return even_size(latest * static_cast<double>(heard) + wings);
  }
  static std::vector<double> continuous_angles(std::size_t size) {
    std::vector<double> angles(size / 2 + 1);
    for (std::size_t j = 0; j < angles.size(); ++j)
      angles[j] = continuous_angle(2 * pi * static_cast<double>(j) / static_cast<double>(size));
    return angles;
  }
};

/// ΩΔt/2 of continuous time for waves of two samples.
double nyquist_of_samples(double record_every) {
  return std::sin(pi / (2 * record_every));
}

}  // namespace

double recorded_nyquist(double dt, int record_every, TimeDispersion dispersion) {
  const bool is_corrected = dispersion == TimeDispersion::corrected;
  return is_corrected ? nyquist_of_samples(record_every) / (pi * dt) : 1 / (2 * record_every * dt);
}

std::vector<double> warped_signature(std::span<const double> samples, std::size_t steps) {
  const Warp warp(samples.size(), steps);
  std::vector<double> fed = samples_of(warp.fft, warp.spectrum.of(samples.first(warp.heard)));
  fed.resize(warp.fed);  // behind which stands what is before t = 0
  fed.resize(steps);
  return fed;
}

std::vector<double> transpose_warp(std::span<const double> by_fed, std::size_t samples) {
  const Warp warp(samples, by_fed.size());
  std::vector<double> transposed =
      warp.spectrum.transposed(transpose_samples(warp.fft, by_fed.first(warp.fed), warp.fft.size() / 2 + 1));
  transposed.resize(samples);
  return transposed;
}

/// The frequencies of continuous time that are kept, x = ΩΔt/2 < 1: with a sample a step to where waves go on
/// half as fast, else to the Nyquist frequency of the samples.
struct TraceCorrection::Band {
  double full, end;      ///< x up to which all is kept, and none
  double latest;         ///< group delay over the scheme's at the end
  std::size_t size;      ///< size of the transform
  std::size_t kept = 0;  ///< frequencies of it
  double record_every;

  Band(std::size_t samples, int every) : record_every(every) {
    constexpr double full_of_step = 0.7, end_of_step = 0.87, full_of_record = 0.95;
    end = std::min(end_of_step, nyquist_of_samples(record_every));
    full = every == 1 ? full_of_step : full_of_record * end;
    latest = 1 / std::sqrt(1 - end * end);
    size = even_size(latest * static_cast<double>(samples + continuation) + wings);
    kept = static_cast<std::size_t>(std::ceil(end * record_every * static_cast<double>(size) / pi));
  }
  [[nodiscard]] double x(std::size_t j) const {
    return pi * static_cast<double>(j) / (static_cast<double>(size) * record_every);
  }
  /// Radians a sample.
  [[nodiscard]] std::vector<double> angles_of_scheme() const {
    std::vector<double> angles(kept);
    for (std::size_t j = 0; j < kept; ++j) angles[j] = 2 * record_every * std::asin(x(j));
    return angles;
  }
  [[nodiscard]] std::vector<double> weights() const {
    std::vector<double> weights(kept);
    for (std::size_t j = 0; j < kept; ++j) weights[j] = 1 - smooth_step((x(j) - full) / (end - full));
    return weights;
  }
};

TraceCorrection::TraceCorrection(std::size_t samples, int record_every)
    : TraceCorrection(samples, Band(samples, record_every)) {}

TraceCorrection::TraceCorrection(std::size_t samples, const Band& band)
    : samples_(samples),
      fft_(band.size),
      weights_(band.weights()),
      spectrum_(samples + continuation, band.angles_of_scheme()) {}

/// A trace goes on behind its end as its image in the last sample, and fades: a jump would ring back.
template <class Real>
void TraceCorrection::apply(std::span<Real> trace) const {
  if (is_silent(trace)) return;
  std::vector<double> values(trace.begin(), trace.end());
  const std::size_t more = std::min(continuation, samples_ - 1);
  for (std::size_t i = 1; i <= more; ++i) {
    values.push_back(fade(i, more) * (2 * double{trace[samples_ - 1]} - double{trace[samples_ - 1 - i]}));
  }
  std::vector<std::complex<double>> half = spectrum_.of(values);
  for (std::size_t j = 0; j < half.size(); ++j) half[j] *= weights_[j];
  const std::vector<double> corrected = samples_of(fft_, std::move(half));
  for (std::size_t n = 0; n < samples_; ++n) trace[n] = static_cast<Real>(corrected[n]);
}

template void TraceCorrection::apply(std::span<float> trace) const;
template void TraceCorrection::apply(std::span<double> trace) const;

void TraceCorrection::apply_transposed(std::span<double> trace) const {
  if (is_silent(trace)) return;
  std::vector<std::complex<double>> half = transpose_samples(fft_, trace, weights_.size());
  for (std::size_t j = 0; j < half.size(); ++j) half[j] *= weights_[j];
  std::vector<double> values = spectrum_.transposed(half);
  const std::size_t last = samples_ - 1, more = std::min(continuation, last);
  for (std::size_t i = 1; i <= more; ++i) {
    const double faded = fade(i, more) * values[last + i];
    values[last] += 2 * faded;
    values[last - i] -= faded;
  }
  std::copy_n(values.begin(), samples_, trace.begin());
}

std::size_t TraceCorrection::bytes_needed(std::size_t samples, int record_every, int threads) {
  const Band band(samples, record_every);
  constexpr std::size_t complex = sizeof(std::complex<double>), of_samples = 2 * sizeof(double);
  const std::size_t held =
      NonuniformSpectrum::bytes_held(samples + continuation, band.kept) + 2 * band.size * complex;
  const std::size_t each = NonuniformSpectrum::bytes_of_call(samples + continuation, band.kept) +
                           2 * band.size * complex + of_samples * band.size;
  return held + each * static_cast<std::size_t>(threads);
}

void correct_traces(Reals& traces, std::size_t samples, int record_every) {
  const TraceCorrection correction(samples, record_every);
  with_real(traces.precision(), [&]<class Real>() {
    Real* const all = traces.of<Real>().data();
    on_all_cores("minimod::correct_traces", traces.size() / samples,
                 [&](std::size_t i) { correction.apply(std::span<Real>(all + i * samples, samples)); });
  });
}

void transpose_correction(std::vector<double>& traces, std::size_t samples, int record_every) {
  const TraceCorrection correction(samples, record_every);
  on_all_cores("minimod::transpose_correction", traces.size() / samples,
               [&](std::size_t i) { correction.apply_transposed(std::span(&traces[i * samples], samples)); });
}

}  // namespace minimod
