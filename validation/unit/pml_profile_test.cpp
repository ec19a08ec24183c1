#include "boundary/pml_profile.hpp"

#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace minimod;
using Catch::Approx;

TEST_CASE("The PML profile follows its formula", "[unit]") {
  const double v = 4500, dt = 1.6e-3, h = 20;
  const int n = 100, low = 27, high = 10;
  const auto eta = make_pml_profile({n, low, high, h}, v, dt);
  REQUIRE(eta.size() == 102);
  const auto at = [&](int x) { return eta[x + 1]; };
  const auto peak = [&](int width) { return 3 * v * std::log(1000.0) * dt / (2 * width * h); };
  for (int x = -1; x <= n; ++x) {
    double expected = 0;
    if (x < low) expected = peak(low) * std::pow(double(low - 1 - x) / low, 2);
    if (x >= n - high) expected = peak(high) * std::pow(double(x - (n - high)) / high, 2);
    CHECK(at(x) == Approx(expected).margin(1e-15));
  }
  CHECK(at(low - 1) == 0);             // m = 0 touches the inner box
  CHECK(at(-1) == Approx(peak(low)));  // m = n on the ghost node
  CHECK(at(n) == Approx(peak(high)));
}

TEST_CASE("A face without PML is not damped", "[unit]") {
  for (const double eta : make_pml_profile({20, 0, 0, 10}, 2000, 1e-3)) CHECK(eta == 0);
}

TEST_CASE("The shift of a PML follows its profile, and is twice what keeps it from growing at least",
          "[unit]") {
  const double v = 2000, dt = 2e-3;
  const auto peak = [&](int width, double h) { return 3 * v * std::log(1000.0) * dt / (2 * width * h); };
  const auto cube = [](int width) {
    const PmlAxis axis{100, width, width, 20};
    return std::vector{axis, axis, axis};
  };
  CHECK(pml_alpha(cube(27), v, dt) == Approx(0.04 * peak(27, 20)));
  CHECK(pml_alpha(cube(5), v, dt) == Approx(0.04 * peak(5, 20)));
  CHECK(pml_alpha(cube(3), v, dt) == Approx(peak(3, 20) * 5 / 27));
  CHECK(pml_alpha(cube(0), v, dt) == 0);
  CHECK(pml_alpha(cube(10), v, dt / 2) == Approx(pml_alpha(cube(10), v, dt) / 2));
  // The axis with the greatest P sets the least shift, the one with the least P the one that reflects least.
  const std::vector<PmlAxis> flat{{100, 10, 10, 20}, {100, 10, 10, 20}, {100, 0, 10, 4}};
  CHECK(least_pml_alpha(flat, v, dt) == Approx(0.42 * peak(10, 4) / 100));
  CHECK(pml_alpha(flat, v, dt) == Approx(std::max(0.04 * peak(10, 20), peak(10, 4) / 100)));
  for (int width = 3; width <= 40; ++width) {
    CHECK(pml_alpha(cube(width), v, dt) > 2 * least_pml_alpha(cube(width), v, dt));
  }
}
