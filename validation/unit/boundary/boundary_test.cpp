#include "boundary/boundary.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "boundary/cpml/cpml.hpp"
#include "boundary/sponge.hpp"
#include "src/base/error.hpp"

using namespace minimod;
using Catch::Approx;

TEST_CASE("A CPML's recursion stretches waves", "[unit]") {
  // Response of psi <- b psi + a du to du = exp(i omega n dt): 1/s - 1 = -d / (d + alpha + i omega).
  const int n = 60, low = 10, high = 5;
  const double h = 20, v = 2000, f = 10, dt = 1e-5;
  const CpmlProfile profile = make_cpml_profile(n, low, high, h, v, f, dt);
  const auto response = [&](int i, double frequency) {
    const double omega = 2 * std::numbers::pi * frequency;
    return profile.a[i] / (1.0 - profile.b[i] * std::polar(1.0, -omega * dt));
  };
  for (int i = low; i < n - high; ++i) CHECK(std::abs(response(i, f)) == 0);
  // Far over d and alpha the response is i d / omega: a wave through the layer and back keeps exp(-2/V ∫ d
  // dx).
  constexpr double high_frequency = 3000;
  double low_sum = 0, high_sum = 0;
  for (int i = 0; i < low; ++i) low_sum += response(i, high_frequency).imag();
  for (int i = n - high; i < n; ++i) high_sum += response(i, high_frequency).imag();
  const double to_exponent = 2 / v * 2 * std::numbers::pi * high_frequency * h;
  CHECK(std::exp(-low_sum * to_exponent) == Approx(1e-5).epsilon(0.1));
  CHECK(std::exp(-high_sum * to_exponent) == Approx(1e-5).epsilon(0.2));
  // Slow waves are left alone where the layer begins, and stopped where it ends.
  CHECK(std::abs(response(low - 1, 1e-3)) < 0.1);
  CHECK(std::abs(response(0, 1e-3)) == Approx(1).epsilon(0.05));
  // The shift is pi f at the begin: there a wave of half that frequency loses a part and turns by 45 degrees.
  CHECK(std::arg(-response(low - 1, f / 2)) == Approx(-std::numbers::pi / 4).epsilon(0.1));
}

TEST_CASE("A CPML without a frequency shift is a plain PML", "[unit]") {
  const CpmlProfile profile = make_cpml_profile(40, 8, 8, 10, 3000, 0, 1e-3);
  for (int i = 0; i < 8; ++i) CHECK(profile.a[i] == Approx(profile.b[i] - 1));
}

TEST_CASE("The taper of 20 points is Cerjan's", "[unit]") {
  const auto taper = make_taper(70, 20, 10);
  CHECK(taper[0] == Approx(0.914).epsilon(1e-3));   // his outermost weight, exp(-0.3^2)
  CHECK(taper[10] == Approx(0.978).epsilon(1e-3));  // half-way
  for (int i = 0; i < 20; ++i) CHECK(taper[i] < taper[i + 1]);
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
