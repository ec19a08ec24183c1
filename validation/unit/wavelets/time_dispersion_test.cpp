#include "src/wavelets/time_dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "src/wavelets/sampling_transpose.hpp"
#include "src/wavelets/signature.hpp"
#include "src/wavelets/wavelet.hpp"
#include "validation/unit/base/noise.hpp"

namespace minimod {
namespace {

constexpr std::size_t steps = 2000;
constexpr double frequency = 0.0362,
                 delay = 1.5 / frequency;  // a step; 10 points per wavelength at the default Δt

std::vector<double> sampled_ricker(std::size_t count, double later = 0) {
  std::vector<double> samples(count);
  for (std::size_t n = 0; n < count; ++n)
    samples[n] = ricker(static_cast<double>(n), frequency, delay + later);
  return samples;
}

/// Field of a propagator that is exact in space, `travel` steps from the source: û(ω) = ŝ(ω) exp(−iΩT).
std::vector<double> scheme_after(double travel, const std::vector<double>& fed, std::size_t count = steps) {
  const Fft fft(8192);
  std::vector<std::complex<double>> signal(fed.begin(), fed.end());
  signal.resize(fft.size());
  auto spectrum = fft.forward(signal);
  for (std::size_t j = 0; j < spectrum.size(); ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(fft.size());
    const double continuous = 2 * std::sin((j > fft.size() / 2 ? angle - 2 * std::numbers::pi : angle) / 2);
    spectrum[j] *= std::polar(1.0, -continuous * travel);
  }
  const auto field = fft.inverse(spectrum);
  std::vector<double> trace(count);
  std::ranges::transform(field.begin(), field.begin() + static_cast<std::ptrdiff_t>(count), trace.begin(),
                         [](std::complex<double> value) { return value.real(); });
  return trace;
}

std::vector<double> every(const std::vector<double>& samples, std::size_t stride) {
  std::vector<double> kept;
  for (std::size_t n = 0; n < samples.size(); n += stride) kept.push_back(samples[n]);
  return kept;
}

std::vector<double> corrected(std::vector<double> trace, int record_every = 1) {
  TraceCorrection(trace.size(), record_every).apply(std::span(trace));
  return trace;
}

double relative_l2(const std::vector<double>& found, const std::vector<double>& wanted) {
  double error = 0, all = 0;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    error += std::pow(found[n] - wanted[n], 2);
    all += std::pow(wanted[n], 2);
  }
  return std::sqrt(error / all);
}

double greatest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

TEST_CASE("with signature and traces warped the steps in time leave no error", "[unit]") {
  const std::vector<double> signature = sampled_ricker(200);
  const std::vector<double> fed = warped_signature(signature, steps);
  for (const double travel : {0.0, 300.0, 900.0, 1500.0}) {
    const std::vector<double> exact = sampled_ricker(steps, travel), field = scheme_after(travel, fed);
    INFO("after " << travel << " steps");
    if (travel > 0) CHECK(relative_l2(scheme_after(travel, signature), exact) > 0.3);
    CHECK(relative_l2(corrected(field), exact) < 1e-8);
    CHECK(relative_l2(corrected(every(field, 2), 2), every(exact, 2)) < 1e-8);
    CHECK(relative_l2(corrected(every(field, 3), 3), every(exact, 3)) <
          1e-5);  // 2 % of the peak at f_max lie there
  }
}

TEST_CASE("a trace that ends within an arrival errs at its end alone", "[unit]") {
  constexpr double travel = 1500;
  const std::vector<double> field = scheme_after(travel, warped_signature(sampled_ricker(200), steps));
  for (const int from_peak : {-20, -5, 0, 5, 10}) {
    const auto end = static_cast<std::size_t>(travel + delay + from_peak);
    for (const std::size_t stride : {1, 4}) {
      INFO("it ends " << from_peak << " steps behind the peak, recorded every " << stride);
      const std::vector<double> whole = every(sampled_ricker(end, travel), stride);
      std::vector<double> error =
          corrected(every({field.begin(), field.begin() + std::ptrdiff_t(end)}, stride), int(stride));
      for (std::size_t n = 0; n < error.size(); ++n) error[n] -= whole[n];
      const std::span<const double> all(error);
      CHECK(greatest(all.first(all.size() - 20 / stride)) < 0.03);
      CHECK(greatest(all.first(all.size() - 30 / stride)) < 1e-3);
      CHECK(greatest(all.first(all.size() / 2)) < 1e-6);
    }
  }
}

/// Greatest difference of the spectra of what is fed and of the signature at the frequencies of waves, over
/// the signature's greatest.
double spectral_error(const std::vector<double>& signature, const std::vector<double>& fed) {
  std::vector<double> angles, warped;
  for (double angle = 0; angle < 0.96; angle += 0.01) {
    angles.push_back(angle);
    warped.push_back(2 * std::sin(angle / 2));
  }
  const auto wanted = NonuniformSpectrum(signature.size(), warped).of(signature);
  const auto found = NonuniformSpectrum(fed.size(), angles).of(fed);
  double error = 0, most = 0;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    error = std::max(error, std::abs(found[j] - wanted[j]));
    most = std::max(most, std::abs(wanted[j]));
  }
  return error / most;
}

TEST_CASE("signatures of any form are fed", "[unit]") {
  std::vector<double> impulse(50), jump(60, 1.0), late(80, 0.0), saw(31);
  impulse[0] = 1;
  std::fill(late.begin() + 40, late.end(), -2.0);
  for (std::size_t n = 0; n < saw.size(); ++n) saw[n] = n % 2 == 0 ? 1 : -1;
  CHECK(relative_l2(warped_signature(impulse, 50), impulse) < 1e-12);
  CHECK(spectral_error(sampled_ricker(200), warped_signature(sampled_ricker(200), 500)) < 1e-8);
  CHECK(spectral_error(jump, warped_signature(jump, 500)) < 1e-3);
  CHECK(spectral_error(late, warped_signature(late, 500)) < 1e-3);
  CHECK(greatest(warped_signature(saw, 500)) < 2);  // two samples a wave, of which no grid carries any
  const std::vector<double> one = {3};
  CHECK(relative_l2(warped_signature(one, 1), one) < 1e-12);
}

TEST_CASE("what is fed does not know when the run ends", "[unit]") {
  const std::vector<double> signature = sampled_ricker(200);
  std::vector<double> fed = warped_signature(signature, 1000);
  CHECK(greatest(std::span(fed).subspan(300)) < 1e-9);
  fed.resize(60);
  const std::vector<double> of_short_run = warped_signature(signature, 60);
  CHECK(relative_l2(of_short_run, fed) < 1e-9);
}

TEST_CASE("the way from a signature's samples to those that are fed has its transpose", "[unit]") {
  constexpr std::size_t count = 140;
  constexpr double dt = 1.7e-3;
  std::vector<double> samples(count), by_fed;
  for (std::size_t k = 0; k < count; ++k) samples[k] = std::sin(0.3 * static_cast<double>(k * k % 31));
  samples.front() = samples.back() = 0;
  for (const auto dispersion : {TimeDispersion::corrected, TimeDispersion::as_is}) {
    for (const int of_run : {90, 400}) {
      const TimeAxis times{1.1e-3, of_run, 0, dispersion};
      const std::vector<double> fed = make_wavelet(sampled_signature(samples, dt, 4e-3, "one"), times).fed;
      by_fed.clear();
      for (std::size_t n = 0; n < fed.size(); ++n)
        by_fed.push_back(std::cos(0.9 * static_cast<double>(n * n)));
      const std::vector<double> by_samples = transpose_sampling(by_fed, times, count, dt, 4e-3);
      const double one = std::inner_product(fed.begin(), fed.end(), by_fed.begin(), 0.0);
      CHECK(std::abs(one - std::inner_product(samples.begin(), samples.end(), by_samples.begin(), 0.0)) <
            1e-10);
    }
  }
}

double product(const std::vector<double>& one, const std::vector<double>& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

/// Difference of ⟨A x, y⟩ and ⟨x, Aᵀ y⟩ over the norms of A x and y.
double transpose_error(const std::vector<double>& x, const std::vector<double>& ax,
                       const std::vector<double>& y, const std::vector<double>& aty) {
  return std::abs(product(ax, y) - product(x, aty)) / std::sqrt(product(ax, ax) * product(y, y));
}

TEST_CASE("the correction of traces has its transpose", "[unit]") {
  for (const std::size_t samples : {1, 2, 3, 16, 17, 18, 500, 2000}) {
    for (const int record_every : {1, 2, 4, 7}) {
      const std::vector<double> trace = noise(samples, 1), by_corrected = noise(samples, 2);
      std::vector<double> transposed = by_corrected;
      transpose_correction(transposed, samples, record_every);
      INFO(samples << " samples, recorded every " << record_every);
      CHECK(transpose_error(trace, corrected(trace, record_every), by_corrected, transposed) < 1e-13);
    }
  }
}

/// Waves that the correction takes out have no derivative, and a trace ends where its image begins: some
/// samples of each are asked by themselves.
TEST_CASE("each derivative is the response to a sample", "[unit]") {
  constexpr std::size_t samples = 100;
  const std::vector<double> by_corrected = noise(samples, 2);
  std::vector<double> transposed = by_corrected;
  transpose_correction(transposed, samples, 2);
  for (const std::size_t n : {0, 1, 50, 82, 83, 84, 98, 99}) {
    std::vector<double> one(samples);
    one[n] = 1;
    INFO(n);
    CHECK(std::abs(product(corrected(one, 2), by_corrected) - transposed[n]) < 1e-13);
  }
}

TEST_CASE("traces are transposed by themselves", "[unit]") {
  constexpr std::size_t samples = 300;
  std::vector<double> near = noise(samples, 1), far = noise(samples, 2), both = near;
  both.insert(both.end(), far.begin(), far.end());
  transpose_correction(both, samples, 1);
  transpose_correction(near, samples, 1);
  transpose_correction(far, samples, 1);
  near.insert(near.end(), far.begin(), far.end());
  CHECK(both == near);
}

TEST_CASE("the warp of signatures has its transpose", "[unit]") {
  for (const std::size_t samples : {1, 2, 3, 17, 500, 2000}) {
    for (const std::size_t of_run : {1, 60, 700, 5000}) {
      const std::vector<double> signature = noise(samples, 1), by_fed = noise(of_run, 2),
                                transposed = transpose_warp(by_fed, samples);
      INFO(samples << " samples, " << of_run << " steps");
      REQUIRE(transposed.size() == samples);
      CHECK(transpose_error(signature, warped_signature(signature, of_run), by_fed, transposed) < 1e-13);
    }
  }
}

TEST_CASE("a trace is corrected by itself, in its precision", "[unit]") {
  const std::vector<double> fed = warped_signature(sampled_ricker(200), steps);
  const std::vector<double> near = scheme_after(200, fed), far = scheme_after(1400, fed);
  std::vector<double> both = near;
  for (const double value : far) both.push_back(1e-20 * value);
  std::vector<float> narrow(both.begin(), both.end());
  Reals doubles(both), floats(std::move(narrow));
  correct_traces(doubles, steps, 1);
  correct_traces(floats, steps, 1);
  std::vector<double> alone = corrected(far);
  for (std::size_t n = 0; n < steps; n += 7) {
    CHECK(doubles[n] == corrected(near)[n]);
    CHECK(std::abs(doubles[steps + n] - 1e-20 * alone[n]) < 4e-35);
    CHECK(std::abs(floats[n] - doubles[n]) < 1e-6);
  }
  std::vector<double> silent(steps);
  CHECK(greatest(corrected(silent)) == 0);
  std::vector<double> shortest = {0, 1};
  CHECK(corrected(shortest).size() == 2);
}

}  // namespace
}  // namespace minimod
