#include "boundary/pml_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace minimod;
using Catch::Approx;

TEST_CASE("A wave through the PML and back keeps a thousandth of its amplitude", "[unit]") {
  const double v = 4500, dt = 1.6e-3, h = 20;
  const int n = 100, low = 27, high = 10;
  const auto eta = make_pml_profile({n, low, high, h}, v, dt);
  REQUIRE(eta.size() == 102);
  const auto at = [&](int x) { return eta[x + 1]; };
  // exp(-(2/V) ∫ d dx) with d = eta / dt, by the trapezoidal rule from the layer's first node to the ghost
  // node.
  const auto kept = [&](int first, int ghost) {
    double sum = (at(first) + at(ghost)) / 2;
    for (int x = std::min(first, ghost) + 1; x < std::max(first, ghost); ++x) sum += at(x);
    return std::exp(-2 / v * sum * h / dt);
  };
  CHECK(kept(low - 1, -1) == Approx(1e-3).epsilon(0.02));
  CHECK(kept(n - high, n) == Approx(1e-3).epsilon(0.05));
  for (int x = low - 1; x <= n - high; ++x) CHECK(at(x) == 0);  // the layer's first nodes touch the inner box
  for (int x = 0; x < low; ++x) CHECK(at(x - 1) > at(x));
  for (int x = n - high; x < n; ++x) CHECK(at(x + 1) > at(x));
  CHECK(at(low - 1 - 20) == Approx(4 * at(low - 1 - 10)));  // the profile begins without a step or a kink
}

TEST_CASE("A face without PML is not damped", "[unit]") {
  for (const double eta : make_pml_profile({20, 0, 0, 10}, 2000, 1e-3)) CHECK(eta == 0);
}

TEST_CASE("The shift of a PML keeps it from growing with something to spare, and reflects little", "[unit]") {
  const double v = 2000, dt = 2e-3;
  const auto cube = [](int width) {
    const PmlAxis axis{100, width, width, 20};
    return std::vector{axis, axis, axis};
  };
  const auto share = [&](int width) {  // share of the profile's greatest value
    return pml_alpha(cube(width), v, dt) / make_pml_profile(cube(width)[0], v, dt)[0];
  };
  // Where the eigenvalues of a strip between two layers cross 1 (validation/README.md).
  const std::pair<int, double> thresholds[] = {{3, 0.0345}, {4, 0.0218},  {5, 0.0149},  {6, 0.0108},
                                               {8, 0.0063}, {10, 0.0041}, {15, 0.0018}, {20, 0.0010}};
  for (const auto& [width, threshold] : thresholds) {
    CAPTURE(width);
    CHECK(share(width) > 2 * threshold);
    CHECK(least_pml_alpha(cube(width), v, dt) / make_pml_profile(cube(width)[0], v, dt)[0] >
          0.99 * threshold);
  }
  for (const int width : {5, 10, 27, 40}) CHECK(share(width) < 0.06);  // more reflects at normal incidence
  CHECK(pml_alpha(cube(0), v, dt) == 0);
  CHECK(pml_alpha(cube(10), v, dt / 2) ==
        Approx(pml_alpha(cube(10), v, dt) / 2));  // a rate a second, as the profile
  // Short steps along z, and no layer on top: that axis must stay stable, the others must not reflect more.
  const std::vector<PmlAxis> flat{{100, 10, 10, 20}, {100, 10, 10, 20}, {100, 0, 10, 4}};
  const double peak_z = make_pml_profile(flat[2], v, dt).back();
  CHECK(pml_alpha(flat, v, dt) > 2 * 0.0041 * peak_z);
  CHECK(pml_alpha(flat, v, dt) < 0.06 * peak_z);
}
