#include "src/wavelets/minimum_phase.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/spectra/fft.hpp"
#include "src/wavelets/spectrum.hpp"
#include "src/wavelets/spline.hpp"

namespace minimod {
namespace {

using Complexes = std::vector<std::complex<double>>;

constexpr double samples_of_period = 128;  // at f_max
constexpr int floor_decay = 4;             // above f_max as f^-4, which begins as t^3
constexpr std::size_t most_samples_to_factorize = std::size_t{1} << 19;

/// A signature, sampled evenly.
struct EvenSamples {
  std::vector<double> values;
  double dt = 0;
};

EvenSamples sampled_at(const Signature& signature, double dt) {
  const auto count = static_cast<std::size_t>(std::ceil((signature.last - signature.first) / dt)) + 1;
  EvenSamples samples{std::vector<double>(count), dt};
  double greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = samples.values[i] = signature.at(signature.first + static_cast<double>(i) * dt);
    greatest = std::isfinite(value) ? std::max(greatest, std::abs(value)) : value;
    if (!std::isfinite(value)) break;
  }
  if (std::isfinite(greatest) && greatest > 0) return samples;
  throw Error(ErrorKind::data,
              text("the wavelet (", signature.description, ") ", greatest == 0 ? "is zero" : "overflows",
                   ", so that there is no minimum phase of it"),
              "give a signal");
}

/// So often that f_max is far below the Nyquist frequency; f_max comes with the samples.
std::pair<EvenSamples, double> sample_finely(const Signature& signature) {
  constexpr double coarsest = 4096, measured = 8;  // samples of all, and of a period to measure f_max by
  double dt = (signature.last - signature.first) / coarsest;
  for (;;) {
    const EvenSamples samples = sampled_at(signature, dt);
    const double f_max = measure_spectrum(samples.values, dt).max;
    const double fine = 1 / (samples_of_period * f_max);
    const double count = (signature.last - signature.first) / fine;
    if (count > static_cast<double>(most_samples_to_factorize)) {
      throw Error(ErrorKind::data,
                  text("the wavelet (", signature.description, ") lasts ", count / samples_of_period,
                       " periods of its f_max of ", f_max, " Hz"),
                  text("give one of at most ", most_samples_to_factorize / samples_of_period,
                       " for a minimum phase"));
    }
    if (f_max * dt * measured <= 1) return {sampled_at(signature, fine), f_max};
    dt /= 4;
  }
}

/// With zeros behind, which keep what the logarithm makes long from coming round.
std::size_t factorization_size(std::size_t samples) {
  constexpr std::size_t padding = 32, most = std::size_t{1} << 22;
  return std::min(std::bit_ceil(padding * samples), most);
}

/// exp of the transform of the cepstrum, folded: what stands at negative times goes to positive ones.
std::vector<double> factorize(const EvenSamples& samples, double f_max) {
  const std::size_t n = factorization_size(samples.values.size());
  const Fft fft(n);
  Complexes x(n);
  std::ranges::copy(samples.values, x.begin());
  x = fft.forward(x);
  double greatest = 0;
  for (const auto& value : x) greatest = std::max(greatest, std::abs(value));
  for (std::size_t k = 0; k < n; ++k) {
    const double f = static_cast<double>(std::min(k, n - k)) / (static_cast<double>(n) * samples.dt);
    const double floor = minimum_phase_floor / std::sqrt(1 + std::pow(f / f_max, 2 * floor_decay));
    x[k] = std::log(std::hypot(std::abs(x[k]) / greatest, floor));
  }
  x = fft.inverse(x);
  for (std::size_t i = 1; i < n / 2; ++i) x[i] *= 2;
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(n / 2) + 1, x.end(), 0.0);
  x = fft.forward(x);
  for (auto& value : x) value = greatest * std::exp(value);
  x = fft.inverse(x);
  std::vector<double> causal(n / 2);
  std::ranges::transform(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n / 2), causal.begin(),
                         [](const std::complex<double>& value) { return value.real(); });
  return causal;
}

/// Without the end that is under 1e-7 of the greatest value.
void trim(std::vector<double>& values) {
  double greatest = 0;
  for (const double s : values) greatest = std::max(greatest, std::abs(s));
  const auto last =
      std::find_if(values.rbegin(), values.rend(), [&](double s) { return std::abs(s) > 1e-7 * greatest; });
  values.resize(std::max<std::size_t>(static_cast<std::size_t>(values.rend() - last) + 1, 2));
}

}  // namespace

Signature minimum_phase_of(const Signature& signature) {
  const auto [samples, f_max] = sample_finely(signature);
  std::vector<double> values = factorize(samples, f_max);
  trim(values);
  // A signature that falls as f^-n is delayed by n / 2 samples where it is sampled: factors of z, which a
  // factorization of samples leaves out.
  values.insert(values.begin(), floor_decay / 2, 0.0);
  std::vector<double> times(values.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i) * samples.dt;
  Signature causal;
  causal.first = 0;
  causal.last = times.back();
  causal.at = Spline(std::move(times), std::move(values));
  causal.description = "minimum phase of " + signature.description;
  causal.unit = signature.unit;
  causal.notes = signature.notes;
  return causal;
}

}  // namespace minimod
