#include "validation/cases/means/answers/layered_medium.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/cases/means/ricker_error.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {
constexpr LayeredMedium faster{1500, 2500}, slower{2500, 1500};
constexpr double heights = 300;
}  // namespace

TEST_CASE("The Cagniard-de Hoop integral at zero offset is the closed form", "[unit]") {
  for (const LayeredMedium& medium : {faster, slower}) {
    const double first = heights / medium.c1;
    for (const double t : {first * 1.0001, first * 1.1, first * 2, first * 10}) {
      const double expected = zero_offset_reflection(medium, heights, t);
      CHECK(std::abs(mean_reflection(medium, 0, heights, t) - expected) < 1e-12);
    }
    CHECK(mean_reflection(medium, 0, heights, 0.999 * first) == 0);
  }
}

TEST_CASE("The first motion is the plane wave's reflection at the specular angle", "[unit]") {
  for (const double offset : {0.0, 50.0, 150.0}) {
    const double distance = std::hypot(offset, heights), sine = offset / distance;
    const double cosine1 = heights / distance;
    const double cosine2 = std::sqrt(1 - std::pow(sine * faster.c2 / faster.c1, 2));
    const double expected =
        (faster.c2 * cosine1 - faster.c1 * cosine2) / (faster.c2 * cosine1 + faster.c1 * cosine2);
    const double first = distance / faster.c1 * (1 + 1e-12);
    CHECK(std::abs(mean_reflection(faster, offset, heights, first) - expected) < 1e-5);
  }
}

TEST_CASE("Without a contrast nothing is reflected, from a wall all: an image of the source", "[unit]") {
  const double f = 12, t0 = 0.125, dt = 0.25e-3, offset = 100, distance = std::hypot(offset, heights);
  const int steps = 2400;
  CHECK(reflected_ricker({1500, 1500}, offset, heights, f, t0, dt, steps) ==
        std::vector<double>(steps + 1, 0.0));
  // A half space that is hardly moved (c₂ → 0) is a free wall for u: R = −1.
  const auto reflected = reflected_ricker({1500, 1e-3}, offset, heights, f, t0, dt, steps);
  double worst = 0;
  for (int n = 0; n <= steps; ++n) {
    const double image = -point_source(distance, 1500, n * dt, f, t0);
    worst = std::max(worst, std::abs(reflected[n] - image));
  }
  CHECK(worst < 1e-5 / (4 * std::numbers::pi * distance));
}

TEST_CASE("A post-critical offset is refused", "[unit]") {
  CHECK(outcome_of([] { (void)mean_reflection(faster, 230, heights, 1); }).kind == ErrorKind::data);
  CHECK(outcome_of([] { (void)mean_reflection(faster, 220, heights, 1); }).kind == ErrorKind::none);
  CHECK(mean_reflection(slower, 3000, heights, 2) < 0);  // no angle is critical there
}
