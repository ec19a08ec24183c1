#include "src/base/reals.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

TEST_CASE("Reals of a size are zeros, whatever stood in their memory before", "[unit]") {
  for (const std::size_t size : {std::size_t{3}, std::size_t{5000}, std::size_t{40} << 20}) {
    for (int turn = 0; turn < 2; ++turn) {
      Reals reals(Precision::float32, size);
      ZeroedArray<float>& values = reals.of<float>();
      REQUIRE(values.size() == size);
      CHECK(std::ranges::all_of(values, [](float value) { return value == 0; }));
      std::ranges::fill(values, 7.0F);
    }
  }
}

TEST_CASE("Reals that shrink and grow again grow by zeros", "[unit]") {
  Reals reals(std::vector<double>{1, 2, 3});
  reals.resize(1);
  reals.resize(4);
  CHECK(reals == Reals(std::vector<double>{1, 0, 0, 0}));
  reals.append(Reals(std::vector<double>{5}));
  CHECK(reals == Reals(std::vector<double>{1, 0, 0, 0, 5}));
}
