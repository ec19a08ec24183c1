#include "src/wavelets/spline.hpp"

#include <cmath>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/noise.hpp"

namespace minimod {
namespace {

/// Uneven times, 0.6 to 1.4 apart, from 3 on.
std::vector<double> uneven_times(std::size_t count) {
  std::vector<double> times = noise(count, 1);
  double time = 3;
  for (double& value : times) time = value = time + 1 + 0.4 * value;
  return times;
}

/// Derivatives by the values of points, of a sum of what splines through unit values are, times `by`.
std::vector<double> by_responses(const std::vector<double>& times, const std::vector<double>& at,
                                 const std::vector<double>& by) {
  std::vector<double> derivatives(times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::vector<double> one(times.size());
    one[k] = 1;
    const Spline response(times, one);
    for (std::size_t n = 0; n < at.size(); ++n) derivatives[k] += by[n] * response(at[n]);
  }
  return derivatives;
}

TEST_CASE("the transpose of a spline has the responses to its values", "[unit]") {
  for (const std::size_t count : {2, 3, 4, 17, 200}) {
    const std::vector<double> times = uneven_times(count);
    std::vector<double> at = {times.front(), times.back(), times[count / 2], -1, 1e6};
    for (double t = 2; t < times.back() + 2; t += 0.37) at.push_back(t);
    const std::vector<double> by = noise(at.size(), 2);
    const std::vector<double> wanted = by_responses(times, at, by);
    const std::vector<double> found = Spline(times, noise(count, 3)).transposed(at, by);
    REQUIRE(found.size() == count);
    for (std::size_t k = 0; k < count; ++k) {
      INFO("value " << k << " of " << count);
      CHECK(std::abs(found[k] - wanted[k]) < 1e-13);
    }
  }
}

TEST_CASE("products with a spline are those with its transpose but for rounding", "[unit]") {
  constexpr std::size_t count = 2000;
  const std::vector<double> times = uneven_times(count), values = noise(count, 2);
  std::vector<double> at(3001);
  for (std::size_t n = 0; n < at.size(); ++n) at[n] = 0.7 * static_cast<double>(n);
  const std::vector<double> by = noise(at.size(), 3);
  const Spline spline(times, values);
  double one = 0, all = 0;
  for (std::size_t n = 0; n < at.size(); ++n) {
    one += by[n] * spline(at[n]);
    all += std::pow(spline(at[n]), 2);
  }
  const std::vector<double> transposed = spline.transposed(at, by);
  const double other = std::inner_product(values.begin(), values.end(), transposed.begin(), 0.0);
  CHECK(std::abs(one - other) < 1e-13 * std::sqrt(all * static_cast<double>(at.size())));
}

}  // namespace
}  // namespace minimod
