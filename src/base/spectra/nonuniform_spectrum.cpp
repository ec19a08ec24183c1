#include "src/base/spectra/nonuniform_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minimod {

namespace {

using std::numbers::pi;

/// The FFT has twice the samples, and more than the window's width.
std::size_t transform_size(std::size_t samples) {
  constexpr std::size_t least = 32;
  return good_fft_size(std::max(2 * samples, least));
}

/// Puts the first zero of the window's transform where its first alias is nearest, at 3/4.
double shape_of(int width) {
  return 0.75 * pi * width;
}

/// I0(β √(1 − (2x/W)²)), 0 beyond W/2.
double window(double x, int width) {
  const double part = 2 * x / width;
  return std::abs(part) < 1 ? std::cyl_bessel_i(0, shape_of(width) * std::sqrt(1 - part * part)) : 0;
}

/// Fourier transform of the window: W sinh(r)/r, r = √(β² − (πWq)²), for |q| ≤ 1/4.
double window_transform(double q, int width) {
  const double r = std::sqrt(std::pow(shape_of(width), 2) - std::pow(pi * width * q, 2));
  return width * std::sinh(r) / r;
}

}  // namespace

NonuniformSpectrum::NonuniformSpectrum(std::size_t samples, const std::vector<double>& angles)
    : fft_(transform_size(samples)), middle_(samples / 2) {
  const auto size = static_cast<double>(fft_.size());
  for (std::size_t k = 0; k < samples; ++k) {
    const double from_middle = static_cast<double>(k) - static_cast<double>(middle_);
    samples_weights_.push_back(1 / window_transform(from_middle / size, width));
  }
  first_.reserve(angles.size());
  weights_.reserve(angles.size() * width);
  phases_.reserve(angles.size());
  for (const double angle : angles) {
    const double place = angle / (2 * pi) * size, first = std::ceil(place - width / 2.0);
    first_.push_back(static_cast<std::ptrdiff_t>(first));
    for (int i = 0; i < width; ++i) weights_.push_back(window(first + i - place, width));
    phases_.push_back(std::polar(1.0, -angle * static_cast<double>(middle_)));
  }
}

/// Place in the FFT of a sample, counted from the middle.
std::size_t NonuniformSpectrum::place_of(std::size_t sample) const {
  return (sample + fft_.size() - middle_) % fft_.size();
}

template <class Visit>
void NonuniformSpectrum::visit_window(std::size_t angle, const Visit& visit) const {
  const std::size_t size = fft_.size();
  std::size_t place = static_cast<std::size_t>(first_[angle] + static_cast<std::ptrdiff_t>(size)) % size;
  for (std::size_t i = 0; i < width; ++i) {
    visit(weights_[width * angle + i], place);
    if (++place == size) place = 0;
  }
}

std::vector<std::complex<double>> NonuniformSpectrum::of(std::span<const double> values) const {
  std::vector<std::complex<double>> padded(fft_.size());
  for (std::size_t k = 0; k < std::min(values.size(), samples_weights_.size()); ++k) {
    padded[place_of(k)] = values[k] * samples_weights_[k];
  }
  const std::vector<std::complex<double>> uniform = fft_.forward(padded);
  std::vector<std::complex<double>> spectrum(phases_.size());
  for (std::size_t j = 0; j < spectrum.size(); ++j) {
    std::complex<double> sum = 0;
    visit_window(j, [&](double weight, std::size_t place) { sum += weight * uniform[place]; });
    spectrum[j] = phases_[j] * sum;
  }
  return spectrum;
}

std::vector<double> NonuniformSpectrum::transposed(std::span<const std::complex<double>> values) const {
  std::vector<std::complex<double>> spread(fft_.size());
  for (std::size_t j = 0; j < phases_.size(); ++j) {
    const std::complex<double> value = phases_[j] * values[j];
    visit_window(j, [&](double weight, std::size_t place) { spread[place] += weight * value; });
  }
  const std::vector<std::complex<double>> padded = fft_.forward(spread);
  std::vector<double> samples(samples_weights_.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    samples[k] = samples_weights_[k] * padded[place_of(k)].real();
  }
  return samples;
}

std::size_t NonuniformSpectrum::bytes_held(std::size_t samples, std::size_t angles) {
  constexpr std::size_t of_angle =
      width * sizeof(double) + sizeof(std::complex<double>) + sizeof(std::ptrdiff_t);
  constexpr std::size_t of_twiddles = 2 * sizeof(std::complex<double>);
  return samples * sizeof(double) + angles * of_angle + transform_size(samples) * of_twiddles;
}

std::size_t NonuniformSpectrum::bytes_of_call(std::size_t samples, std::size_t angles) {
  return (2 * transform_size(samples) + angles) * sizeof(std::complex<double>);
}

}  // namespace minimod
