#include "src/job/plan/run_scale.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

TEST_CASE("a run's scale is a power of two, and 1 for amplitudes that are not far from 1", "[unit]") {
  const auto scale = [](double amplitude) { return run_scale_of(amplitude, Precision::float32); };
  for (const double near : {1., 1e-9, 4e9, 0., 1e39, HUGE_VAL}) CHECK(scale(near) == 1);
  CHECK(scale(std::exp2(-93)) == std::exp2(-93));
  CHECK(scale(1.9 * std::exp2(-93)) == std::exp2(-93));
  CHECK(scale(1e30) == std::exp2(99));
  CHECK(run_scale_of(1e39, Precision::float64) == std::exp2(129));
  CHECK(std::isfinite(1 / run_scale_of(5e-324, Precision::float64)));
}

TEST_CASE("values are scaled as they are, however small, and refused where they overflow", "[unit]") {
  std::vector<float> values = {1, -0.75F, 0};
  scale_up(std::span(values), std::exp2(-140));
  CHECK(values == std::vector<float>{std::ldexp(1.F, -140), std::ldexp(-0.75F, -140), 0});
  std::vector<float> great = {4, 1};
  CHECK(
      outcome_of([&] { scale_up(std::span(great), std::exp2(126)); }).says("that the run's precision holds"));
  CHECK(outcome_of([&] { scale_up(std::span(great), std::exp2(126)); }).kind == ErrorKind::data);
}

}  // namespace
}  // namespace minimod
