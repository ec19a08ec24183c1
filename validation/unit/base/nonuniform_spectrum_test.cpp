#include "src/base/spectra/nonuniform_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

/// Greatest difference to the sums that define it, over the sum of |values|.
double error_of(std::size_t samples) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1), anywhere(0, std::numbers::pi);
  std::vector<double> values(samples), angles = {0, 1e-9, std::numbers::pi};
  for (double& value : values) value = uniform(generator);
  for (int i = 0; i < 50; ++i) angles.push_back(anywhere(generator));
  const auto spectrum = NonuniformSpectrum(samples, angles).of(values);
  double sum = 0, greatest = 0;
  for (const double value : values) sum += std::abs(value);
  for (std::size_t j = 0; j < angles.size(); ++j) {
    std::complex<double> exact = 0;
    for (std::size_t k = 0; k < samples; ++k)
      exact += values[k] * std::polar(1.0, -angles[j] * static_cast<double>(k));
    greatest = std::max(greatest, std::abs(spectrum[j] - exact));
  }
  return greatest / sum;
}

TEST_CASE("spectra at any frequency are the sums that define them", "[unit]") {
  for (const std::size_t samples : {1, 2, 5, 16, 17, 100, 1001, 4000}) {
    INFO(samples);
    CHECK(error_of(samples) < 1e-12);
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
