/// The weights of the star as floats.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "kernels/update.hpp"

using namespace minimod;

namespace {

/// Σ m^power c_m over the axis, over h² and times 2, in double.
template <int Radius>
double moment(const float (&ring)[Radius], double h, int power) {
  double sum = 0;
  for (int m = 1; m <= Radius; ++m) sum += 2 * std::pow(m, power) * ring[m - 1];
  return sum * h * h;
}

}  // namespace

TEST_CASE("Differences of order 2R are exact for polynomials of degree 2R", "[unit]") {
  const int radius = GENERATE(range(1, most_radius + 1));
  const DifferenceWeights weights = difference_weights(radius);
  const auto sums = [&](int power) {  // sums of the differences of x^power at 0, in steps of one
    double first = 0, second = power == 0 ? weights.centre : 0;
    for (int m = 1; m <= radius; ++m) {
      const double right = std::pow(m, power), left = std::pow(-m, power);
      first += weights.first[m - 1] * (right - left);
      second += weights.second[m - 1] * (right + left);
    }
    return std::pair(first, second);
  };
  CAPTURE(radius);
  for (int power = 0; power <= 2 * radius; ++power) {
    const auto [first, second] = sums(power);
    const double room = 1e-14 * std::pow(radius, power);
    CHECK(std::abs(first - (power == 1 ? 1 : 0)) <= room);
    CHECK(std::abs(second - (power == 2 ? 2 : 0)) <= room);
  }
  CHECK(std::abs(sums(2 * radius + 1).first) > 0.1);
  CHECK(std::abs(sums(2 * radius + 2).second) > 0.1);
  if (radius == 4) {
    CHECK(weights.centre == -205.0 / 72.0);
    CHECK(weights.second[3] == -1.0 / 560.0);
    CHECK(weights.first[2] == 4.0 / 105.0);
  }
}

TEST_CASE("Minimax weights err as much and to either side at R wave numbers, and long waves keep their speed",
          "[unit]") {
  const int radius = GENERATE(range(2, most_radius + 1));
  const DifferenceWeights weights = difference_weights({radius, StarWeights::minimax});
  const auto error = [&](double k) {  // error of k², relative
    double sum = 0;
    for (int m = 1; m <= radius; ++m) sum += 4 * weights.second[m - 1] * std::pow(std::sin(m * k / 2), 2);
    return sum / (k * k) - 1;
  };
  CAPTURE(radius);
  const double last = 2 * std::numbers::pi / minimax_points_per_wavelength[radius];
  std::vector<double> extremes;  // by Chebyshev's alternation there are no better ones then
  constexpr int samples = 4000;
  for (int i = samples / 40; i <= samples; ++i) {
    const double here = error(last * i / samples), before = error(last * (i - 1) / samples);
    const bool is_extreme = i == samples || (error(last * (i + 1) / samples) - here) * (here - before) <= 0;
    if (is_extreme) extremes.push_back(here);
  }
  REQUIRE(extremes.size() == static_cast<std::size_t>(radius));
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    CHECK(std::abs(extremes[i]) ==
          Catch::Approx(2e-5).epsilon(0.05));  // twice the speed's; the band's end has 4 digits
    if (i > 0) CHECK(extremes[i] * extremes[i - 1] < 0);
  }
  CHECK(std::abs(error(0.01)) < 1e-6);
  CHECK(difference_weights({1, StarWeights::minimax}).second[0] == 1);
}

namespace {

/// How far the weights of a spacing are from adding up to zero, and the speed of long waves from one.
template <int Radius>
std::pair<double, double> faults_of_weights(Point3 h, StarWeights weights = StarWeights::taylor) {
  const auto w = make_stencil_weights<float, Radius>(h, {Radius, weights});
  double sum = w.centre;
  for (const auto* ring : {&w.x, &w.y, &w.z}) {
    for (const float weight : *ring) sum += 2 * double{weight};
  }
  const double speed = std::max({std::abs(moment(w.x, h.x, 2) - 2), std::abs(moment(w.y, h.y, 2) - 2),
                                 std::abs(moment(w.z, h.z, 2) - 2)});
  return {sum, speed};
}

}  // namespace

TEST_CASE("The star's weights in float add up to zero, and long waves keep their speed", "[unit]") {
  const int radius = GENERATE(range(1, most_radius + 1));
  const StarWeights weights = GENERATE(StarWeights::taylor, StarWeights::minimax);
  for (const Point3 h :
       {Point3{20, 20, 20}, Point3{5, 5, 5}, Point3{12.5, 12.5, 12.5}, Point3{20, 15, 12.5},
        Point3{7.3, 7.3, 9.1}, Point3{20, 4, 10}, Point3{1, 100, 1}, Point3{1e-3, 2e-3, 5e-2}}) {
    CAPTURE(radius, h.x, h.y, h.z);
    const auto [sum, speed] =
        with_radius(radius, [&]<int Radius>() { return faults_of_weights<Radius>(h, weights); });
    CHECK(sum == 0);
    // A radius of 1 has one weight an axis, and nothing to spread its rounding over.
    const double widest = std::max({h.x, h.y, h.z});
    const double of_one = 2e-7 * widest * widest * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z));
    CHECK(speed < (radius == 1 ? of_one : weights == StarWeights::taylor ? 4e-7 : 6e-7));
  }
}

TEST_CASE("The star's weights add up to zero at any spacing", "[unit]") {
  const int radius = GENERATE(range(1, most_radius + 1));
  const int wrong = with_radius(radius, [&]<int Radius>() {
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
      const double h = 0.3 * std::pow(1.0005, i);
      found += faults_of_weights<Radius>({h, h * (i % 3 + 1), h}).first == 0 ? 0 : 1;
    }
    return found;
  });
  CAPTURE(radius);
  CHECK(wrong == 0);
}

TEST_CASE("A constant field has no Laplacian but what its sums round", "[unit]") {
  const auto w = make_stencil_weights<float>({20, 20, 20});
  struct Constant {
    float value;
    [[nodiscard]] float x(int) const { return value; }
    [[nodiscard]] float y(int) const { return value; }
    [[nodiscard]] float z(int) const { return value; }
  };
  CHECK(evaluate(w, Constant{1}).laplacian == 0);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const float value = 1 + static_cast<float>(i) / 1000;
    sum += evaluate(w, Constant{value}).laplacian / double{value};
  }
  CHECK(std::abs(sum / 1000) < 1e-10);  // 9e-10 with weights that are each the nearest
}
