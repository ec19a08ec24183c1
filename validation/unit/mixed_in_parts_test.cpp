/// The parts of a launch of both formulas.
#include "kernels/shapes/mixed_in_parts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

TEST_CASE("What lies around the inner box is cut into parts that meet nowhere and miss nothing", "[unit]") {
  const Box3 box{{2, 1, 3}, {9, 8, 10}};
  for (const Box3& inner :
       {Box3{{4, 3, 5}, {7, 7, 8}}, Box3{{2, 1, 3}, {9, 8, 10}}, Box3{{0, 0, 0}, {20, 4, 20}},
        Box3{{5, 5, 5}, {5, 5, 5}}, Box3{{20, 20, 20}, {30, 30, 30}}, Box3{{-9, -9, -9}, {1, 1, 1}}}) {
    const auto parts = parts_around(box, inner);
    for (int z = 0; z < 12; ++z) {
      for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 12; ++x) {
          const Index3 p{x, y, z};
          const auto holds = [&](const Box3& part) { return !part.empty() && part.contains(p); };
          REQUIRE(std::ranges::count_if(parts, holds) == (box.contains(p) && !inner.contains(p) ? 1 : 0));
        }
      }
    }
  }
}

}  // namespace
}  // namespace minimod
