#include "src/base/spectra/fft.hpp"

#include <algorithm>
#include <numbers>
#include <random>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

using Values = std::vector<std::complex<double>>;

Values noise(std::size_t size) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Values values(size);
  for (auto& value : values) {
    value = {uniform(generator), uniform(generator)};
  }
  return values;
}

/// The definition, by its sum.
Values summed(const Values& values) {
  Values sums(values.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double turns = static_cast<double>(j * k % values.size()) / static_cast<double>(values.size());
      sums[k] += values[j] * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  }
  return sums;
}

double largest_difference(const Values& left, const Values& right) {
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    largest = std::max(largest, std::abs(left[i] - right[i]));
  }
  return largest;
}

TEST_CASE("transforms of every radix are the sums that define them, and come back", "[unit]") {
  for (const std::size_t size : {1, 2, 3, 4, 5, 30, 128, 243, 600, 625}) {
    INFO(size);
    const Fft fft(size);
    const Values values = noise(size);
    const Values spectrum = fft.forward(values);
    CHECK(largest_difference(spectrum, summed(values)) < 1e-12 * static_cast<double>(size));
    CHECK(largest_difference(fft.inverse(spectrum), values) < 1e-14);
  }
}

TEST_CASE("good sizes are products of 2, 3 and 5", "[unit]") {
  CHECK(good_fft_size(1) == 1);
  CHECK(good_fft_size(7) == 8);
  CHECK(good_fft_size(97) == 100);
  CHECK(good_fft_size(1001) == 1024);
  CHECK(good_fft_size(1025) == 1080);
  CHECK_THROWS_AS(Fft(7), std::invalid_argument);
  CHECK_THROWS_AS(Fft(0), std::invalid_argument);
  CHECK_THROWS_AS(Fft(8).forward(Values(9)), std::invalid_argument);
}

}  // namespace
}  // namespace minimod
