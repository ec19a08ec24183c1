/// The 16-bit code of (V Δt)²: its error, its ends, and the fields that it holds exactly.
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "kernels/coded_velocity.hpp"

using namespace minimod;

namespace {
/// Without the rounding of the result to float.
double exactly(const VelocityCode& code, std::uint16_t number) {
  return double{code.low} + number * double{code.scale};
}
}  // namespace

TEST_CASE("A velocity code errs by at most half a scale, and is exact at its ends", "[unit]") {
  std::mt19937 random(3);
  for (const auto& [least, greatest] :
       {std::pair{9.0F, 121.0F}, {36.5F, 36.9F}, {1e-4F, 3.2F}, {4.0F, 16.0F}}) {
    CAPTURE(least, greatest);
    const VelocityCode code = VelocityCode::between(least, greatest);
    CHECK(code.decode(code.encode(least)) == least);
    CHECK(code.decode(code.encode(greatest)) == greatest);
    CHECK(code.encode(least) == 0);
    CHECK(code.encode(greatest) == VelocityCode::most);
    CHECK(code.greatest_error() < code.scale);
    std::uniform_real_distribution<float> values(least, greatest);
    double worst = 0, worst_rounded = 0;
    for (int i = 0; i < 100000; ++i) {
      const float value = values(random);
      const std::uint16_t number = code.encode(value);
      worst = std::max(worst, std::abs(exactly(code, number) - value));
      worst_rounded = std::max(worst_rounded, std::abs(double{code.decode(number)} - value));
    }
    CHECK(worst <= 0.5 * code.scale * (1 + 1e-9));
    CHECK(worst > 0.49 * code.scale);
    CHECK(worst_rounded <= code.greatest_error());
  }
}

TEST_CASE("What the code of a velocity gives is what it encodes", "[unit]") {
  const VelocityCode code = VelocityCode::between(9, 121);
  for (int number = 0; number <= VelocityCode::most; ++number) {
    const float value = code.decode(static_cast<std::uint16_t>(number));
    if (code.encode(value) != number) FAIL("code " << number);
  }
}

TEST_CASE("The velocity code of a constant model has no error", "[unit]") {
  const VelocityCode code = VelocityCode::between(57.76F, 57.76F);
  CHECK(code.scale == 0);
  CHECK(code.greatest_error() == 0);
  CHECK(code.decode(code.encode(57.76F)) == 57.76F);
}

TEST_CASE("Values outside the ends of a velocity code take the code of the end", "[unit]") {
  const VelocityCode code = VelocityCode::between(9, 121);
  CHECK(code.encode(0) == 0);
  CHECK(code.encode(500) == VelocityCode::most);
}
