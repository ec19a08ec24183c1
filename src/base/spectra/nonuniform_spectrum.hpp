#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "src/base/spectra/fft.hpp"

namespace minimod {

/// The spectrum of uniform samples at any frequencies, of type 2 (Dutt & Rokhlin, SIAM J. Sci. Comput. 14,
/// 1993): an FFT of twice the samples, between whose values a Kaiser-Bessel window of 14 interpolates. Right
/// to 1e-12 of the samples' sum. Its transpose, of type 1, spreads values by the same window. Threads may
/// share one.
class NonuniformSpectrum {
 public:
  /// \param samples Of each sequence, at least 1
  /// \param angles Where the spectrum is wanted, radians a sample, 0 to π
  NonuniformSpectrum(std::size_t samples, const std::vector<double>& angles);

  /// Σ over k of values[k] exp(−i angle k), for each angle; values behind the last are 0.
  [[nodiscard]] std::vector<std::complex<double>> of(std::span<const double> values) const;
  /// The transpose of that: Σ over j of Re(values[j] exp(−i angle[j] k)), for each sample k, of a value an
  /// angle. Σ Re(values[j] of(x)[j]) is Σ transposed(values)[k] x[k] but for rounding.
  [[nodiscard]] std::vector<double> transposed(std::span<const std::complex<double>> values) const;

  /// Memory that one holds, and what a call of either takes for its time, bytes.
  [[nodiscard]] static std::size_t bytes_held(std::size_t samples, std::size_t angles);
  [[nodiscard]] static std::size_t bytes_of_call(std::size_t samples, std::size_t angles);

 private:
  static constexpr int width = 14;  ///< width of the window, values of the FFT

  [[nodiscard]] std::size_t place_of(std::size_t sample) const;
  /// Calls visit(weight, place) for the values of the FFT that an angle lies between.
  template <class Visit>
  void visit_window(std::size_t angle, const Visit& visit) const;

  Fft fft_;
  std::size_t middle_;                        ///< the sample that phases are counted from
  std::vector<double> samples_weights_;       ///< factors that give back what the window takes
  std::vector<std::ptrdiff_t> first_;         ///< first of the values that an angle lies between
  std::vector<double> weights_;               ///< [angle][width]
  std::vector<std::complex<double>> phases_;  ///< phase of the middle, for each angle
};

}  // namespace minimod
