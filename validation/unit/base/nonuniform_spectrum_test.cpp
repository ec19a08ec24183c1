#include "src/base/spectra/nonuniform_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/noise.hpp"

namespace minimod {
namespace {

std::vector<double> some_angles() {
  std::mt19937 generator(4);
  std::uniform_real_distribution<double> anywhere(0, std::numbers::pi);
  std::vector<double> angles = {0, 1e-9, std::numbers::pi};
  for (int i = 0; i < 50; ++i) angles.push_back(anywhere(generator));
  return angles;
}

std::vector<std::complex<double>> complex_noise(std::size_t count) {
  const std::vector<double> real = noise(count, 5), imaginary = noise(count, 6);
  std::vector<std::complex<double>> values(count);
  for (std::size_t j = 0; j < count; ++j) values[j] = {real[j], imaginary[j]};
  return values;
}

/// Greatest difference of `found` to the sums of term(i, k) over the values that define it, over the sum of
/// |values|.
template <class Found, class Value, class Term>
double error_of(const std::vector<Found>& found, const std::vector<Value>& values, const Term& term) {
  double sum = 0, greatest = 0;
  for (const Value& value : values) sum += std::abs(value);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Found exact = 0;
    for (std::size_t k = 0; k < values.size(); ++k) exact += term(i, k);
    greatest = std::max(greatest, std::abs(found[i] - exact));
  }
  return greatest / sum;
}

TEST_CASE("spectra at any frequency are the sums that define them", "[unit]") {
  for (const std::size_t samples : {1, 2, 5, 16, 17, 100, 1001, 4000}) {
    const std::vector<double> values = noise(samples, 3), angles = some_angles();
    const auto spectrum = NonuniformSpectrum(samples, angles).of(values);
    REQUIRE(spectrum.size() == angles.size());
    INFO(samples);
    CHECK(error_of(spectrum, values, [&](std::size_t j, std::size_t k) {
            return values[k] * std::polar(1.0, -angles[j] * static_cast<double>(k));
          }) < 1e-12);
  }
}

TEST_CASE("the transpose of spectra at any frequency are the sums that define it", "[unit]") {
  for (const std::size_t samples : {1, 2, 5, 16, 17, 100, 1001, 4000}) {
    const std::vector<double> angles = some_angles();
    const std::vector<std::complex<double>> values = complex_noise(angles.size());
    const std::vector<double> found = NonuniformSpectrum(samples, angles).transposed(values);
    REQUIRE(found.size() == samples);
    INFO(samples);
    CHECK(error_of(found, values, [&](std::size_t k, std::size_t j) {
            return (values[j] * std::polar(1.0, -angles[j] * static_cast<double>(k))).real();
          }) < 1e-12);
  }
}

TEST_CASE("products with a spectrum are those with its transpose but for rounding", "[unit]") {
  for (const std::size_t samples : {1, 2, 3, 17, 500, 2000}) {
    const std::vector<double> values = noise(samples, 3), angles = some_angles();
    const std::vector<std::complex<double>> by_spectrum = complex_noise(angles.size());
    const NonuniformSpectrum spectrum(samples, angles);
    const auto found = spectrum.of(values);
    const auto transposed = spectrum.transposed(by_spectrum);
    double one = 0, other = 0, all = 0;
    for (std::size_t j = 0; j < angles.size(); ++j) {
      one += (by_spectrum[j] * found[j]).real();
      all += std::norm(found[j]);
    }
    for (std::size_t k = 0; k < samples; ++k) other += transposed[k] * values[k];
    INFO(samples);
    CHECK(std::abs(one - other) < 1e-14 * std::sqrt(all * static_cast<double>(angles.size())));
  }
}

TEST_CASE("a spectrum of fewer values is that of zeros behind them", "[unit]") {
  const NonuniformSpectrum spectrum(40, {0.3, 1.1, 2.9});
  std::vector<double> values(25, 1.5);
  const auto of_few = spectrum.of(values);
  values.resize(40);
  CHECK(spectrum.of(values) == of_few);
}

}  // namespace
}  // namespace minimod
