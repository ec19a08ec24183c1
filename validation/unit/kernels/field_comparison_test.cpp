#include "validation/cases/means/field_comparison.hpp"

#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr float beyond = std::numeric_limits<float>::infinity();

TEST_CASE("differences of fields are relative to the second", "[unit]") {
  CHECK(relative_difference({1, 2, 4}, {1, 2, 4}) == 0);
  CHECK(relative_difference({1, 2, 5}, {1, 2, -4}) == 9.0 / 4);
  CHECK(relative_difference({0, 0}, {0, 0}) == 0);
  CHECK(relative_difference({0, 1}, {0, 0}) == infinity);
  CHECK(relative_l2(std::vector<float>{3, 4}, std::vector<float>{3, 4}) == 0);
  CHECK(relative_l2(std::vector<double>{6, 8}, std::vector<double>{3, 4}) == 1);
  CHECK(relative_l2(std::vector<float>{0, 0}, std::vector<float>{0, 0}) == infinity);
}

TEST_CASE("a field with a value that is not finite is infinitely far from any", "[unit]") {
  for (const float bad : {no_number, beyond, -beyond}) {
    const std::vector<float> good{1, 2}, broken{1, bad};
    for (const auto& [a, b] : {std::pair(good, broken), std::pair(broken, good), std::pair(broken, broken)}) {
      CHECK(relative_difference(a, b) == infinity);
      CHECK(relative_l2(a, b) == infinity);
    }
  }
}

TEST_CASE("fields of different sizes are infinitely far from each other", "[unit]") {
  const std::vector<float> two{1, 2}, three{1, 2, 3};
  for (const auto& [a, b] :
       {std::pair(two, three), std::pair(three, two), std::pair(std::vector<float>(), two)}) {
    CHECK(relative_difference(a, b) == infinity);
    CHECK(relative_l2(a, b) == infinity);
    CHECK_FALSE(same_bits(a, b));
  }
}

}  // namespace
}  // namespace minimod
