#include "src/solver/numerics/time_step.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

TEST_CASE("The limit of the time step for equal spacings is V dt / h = 0.45286", "[unit]") {
  CHECK(std::abs(stable_dt_limit(2000, {10, 10, 10}) * 2000 / 10 - 0.45286) < 1e-5);
  CHECK(std::abs(stable_dt_limit(2000, {10, 10, 10}, 1) * 2000 / 10 - 1 / std::sqrt(3.0)) < 1e-12);
  CHECK(std::abs(stable_dt_limit(2000, {10, 10, 10}, 2) * 2000 / 10 - 0.5) < 1e-12);
  CHECK(std::abs(stable_dt_limit(2000, {10, 1e9, 1e9}) * 2000 / 10 - 0.78437) < 1e-5);  // 2 / sqrt(6.50159)
}
