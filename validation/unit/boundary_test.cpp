#include "boundary/boundary.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "boundary/sponge.hpp"
#include "src/base/error.hpp"

using namespace minimod;
using Catch::Approx;

TEST_CASE("A CPML's recursion is that of its stretch", "[unit]") {
  const int n = 60, low = 10, high = 5;
  const double h = 20, v = 2000, f = 10, dt = 1e-3;
  const CpmlProfile profile = make_cpml_profile(n, low, high, h, v, f, dt);
  for (int i = low; i < n - high; ++i) CHECK((profile.a[i] == 0 && profile.b[i] == 0));
  for (const int i : {0, 4, 9, n - 1, n - 5}) {
    const int width = i < low ? low : high, m = i < low ? low - 1 - i : i - (n - high);
    const double depth = (m + 0.5) / width;
    const double d = 3 * v * std::log(1e5) / (2 * width * h) * depth * depth;
    const double alpha = std::numbers::pi * f * (1 - depth);
    CHECK(profile.b[i] == Approx(std::exp(-(d + alpha) * dt)));
    CHECK(profile.a[i] == Approx(d / (d + alpha) * (profile.b[i] - 1)));
  }
}

TEST_CASE("A CPML without a frequency shift is a plain PML", "[unit]") {
  const CpmlProfile profile = make_cpml_profile(40, 8, 8, 10, 3000, 0, 1e-3);
  for (int i = 0; i < 8; ++i) CHECK(profile.a[i] == Approx(profile.b[i] - 1));
}

TEST_CASE("The taper of 20 points is Cerjan's", "[unit]") {
  const auto taper = make_taper(70, 20, 10);
  for (int m = 1; m <= 20; ++m) CHECK(taper[20 - m] == Approx(std::exp(-std::pow(0.015 * m, 2))));
  for (int i = 20; i < 60; ++i) CHECK(taper[i] == 1);
  CHECK(taper[69] == Approx(taper[0]));
}

TEST_CASE("There is no layer under a free surface", "[unit]") {
  const BoundarySpec open = make_boundary_spec(BoundaryKind::cpml, 10, false, 2000, 10);
  const BoundarySpec surface = make_boundary_spec(BoundaryKind::pml, 10, true, 2000, 10);
  CHECK(open.inner_box({50, 60, 70}) == Box3{{10, 10, 10}, {40, 50, 60}});
  CHECK(open.regions({50, 60, 70}).inner == Box3{{0, 0, 0}, {50, 60, 70}});
  CHECK(surface.inner_box({50, 60, 70}) == Box3{{10, 10, 0}, {40, 50, 60}});
  CHECK(surface.regions({50, 60, 70}).pml[0].empty());
  CHECK_FALSE(surface.is_part_of_the_launches());
}

namespace {

Boundary make_pml(int width, double velocity, std::optional<double> alpha) {
  BoundarySpec spec = make_boundary_spec(BoundaryKind::pml, width, false, velocity, 10);
  spec.alpha = alpha;
  return make_boundary(spec, {60, 50, 45}, {20, 20, 20}, 3e-3);
}

std::optional<PmlGrowth> growth_of(const Boundary& boundary) {
  return predicted_growth(boundary, {60, 50, 45}, {20, 20, 20}, 3e-3);
}

}  // namespace

TEST_CASE("A PML grows without its shift, by the rate that was measured, and not with it", "[unit]") {
  CHECK_FALSE(growth_of(make_pml(10, 2000, std::nullopt)));
  CHECK_FALSE(growth_of(make_pml(3, 2000, std::nullopt)));
  CHECK_FALSE(growth_of(make_pml(0, 2000, 0)));
  const auto growth = growth_of(make_pml(10, 2000, 0));
  REQUIRE(growth);
  CHECK(growth->rate == Approx(0.76 / 2).epsilon(0.1));  // 0.76 was measured at 10 m
  CHECK(growth->seconds == Approx(std::log(1e-3 / 1.7e-5) / growth->rate));
  REQUIRE(growth_of(make_pml(3, 2000, 0)));
  CHECK(growth_of(make_pml(3, 2000, 0))->seconds == 0);  // at once
}

TEST_CASE("A PML is refused where its damping breaks a step", "[unit]") {
  check_damping(make_pml(10, 8000, std::nullopt));
  CHECK_THROWS_AS(check_damping(make_pml(10, 12000, std::nullopt)), Error);
  check_damping(make_boundary(make_boundary_spec(BoundaryKind::cpml, 10, false, 2e5, 10), {60, 50, 45},
                              {20, 20, 20}, 3e-3));
}
