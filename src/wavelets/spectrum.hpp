/// The spectrum of a source's signature: where it is greatest, and how far up it reaches.
#pragma once

#include <span>

namespace minimod {

/// f_max is the frequency above which the amplitude spectrum stays under this share of its greatest value
/// (-28 dB): 2.45 times the peak frequency of a Ricker wavelet.
inline constexpr double least_amplitude_share = 0.04;

struct Spectrum {
  double peak = 0;  ///< Hz, where the amplitude is greatest
  double max = 0;   ///< Hz, f_max
};

/// Spectrum of finite samples `dt` s apart, at least one of which is not 0, with silence before and after
/// them. Both frequencies are found between those of the transform; neither is over the Nyquist frequency.
[[nodiscard]] Spectrum measure_spectrum(std::span<const double> samples, double dt);

}  // namespace minimod
