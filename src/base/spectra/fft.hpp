#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace minimod {

/// The smallest size of at least `at_least`, 1 or more, with no prime factor above 5: the sizes that
/// transform fast.
[[nodiscard]] std::size_t good_fft_size(std::size_t at_least);

/// The discrete Fourier transform of one size in double precision (kissfft's template). Threads may share
/// one.
class Fft {
 public:
  /// \param size One of `good_fft_size`
  /// \throws std::invalid_argument for another
  explicit Fft(std::size_t size);
  ~Fft();
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Sums over j of values[j] exp(−2πi j k / size), for each k.
  /// \throws std::invalid_argument where there are not `size` values; `inverse` too
  [[nodiscard]] std::vector<std::complex<double>> forward(
      const std::vector<std::complex<double>>& values) const;

  /// Inverse of `forward`: the sums with exp(+2πi j k / size), over the size.
  [[nodiscard]] std::vector<std::complex<double>> inverse(
      const std::vector<std::complex<double>>& values) const;

 private:
  struct Plans;
  std::size_t size_;
  std::unique_ptr<const Plans> plans_;
};

}  // namespace minimod
