#include "src/wavelets/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

namespace minimod {
namespace {

/// Discrete Fourier transform in place; the size is a power of two.
void transform(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    // j counts with the bits reversed: the carry runs from the highest bit down.
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const double angle = -std::numbers::pi / static_cast<double>(half);
    for (std::size_t k = 0; k < half; ++k) {
      const std::complex<double> twiddle = std::polar(1.0, angle * static_cast<double>(k));
      for (std::size_t i = k; i < n; i += 2 * half) {
        const std::complex<double> odd = twiddle * x[i + half];
        x[i + half] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

/// So many that zeros behind the samples make the steps of frequency fine, where memory allows.
std::size_t transform_size(std::size_t samples) {
  constexpr std::size_t least = std::size_t{1} << 14, most_padded = std::size_t{1} << 22;
  const std::size_t fine = std::min(std::bit_ceil(32 * samples), most_padded);
  return std::max({least, fine, std::bit_ceil(2 * samples)});
}

/// Where the parabola through three neighbouring values is greatest, in steps from the middle one.
double parabola_top(double left, double middle, double right) {
  const double bend = left - 2 * middle + right;
  return bend == 0 ? 0 : (left - right) / (2 * bend);
}

}  // namespace

Spectrum measure_spectrum(std::span<const double> samples, double dt) {
  double greatest_sample = 0;
  for (const double s : samples) greatest_sample = std::max(greatest_sample, std::abs(s));
  std::vector<std::complex<double>> x(transform_size(samples.size()));
  // Scaled, so that the sum of samples near 1e300 is a number.
  std::ranges::transform(samples, x.begin(), [&](double s) { return s / greatest_sample; });
  transform(x);
  const std::size_t nyquist = x.size() / 2;
  std::vector<double> amplitude(nyquist + 1);
  std::ranges::transform(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(nyquist) + 1, amplitude.begin(),
                         [](std::complex<double> value) { return std::abs(value); });

  const auto top = static_cast<std::size_t>(std::ranges::max_element(amplitude) - amplitude.begin());
  const bool inside = top > 0 && top < nyquist;
  const double peak = static_cast<double>(top) +
                      (inside ? parabola_top(amplitude[top - 1], amplitude[top], amplitude[top + 1]) : 0.0);

  const double limit = least_amplitude_share * amplitude[top];
  std::size_t last = nyquist;
  while (amplitude[last] < limit) --last;
  double max = static_cast<double>(last);
  if (last < nyquist) max += (amplitude[last] - limit) / (amplitude[last] - amplitude[last + 1]);

  const double step = 1 / (static_cast<double>(x.size()) * dt);
  return {peak * step, max * step};
}

}  // namespace minimod
