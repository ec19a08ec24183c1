#include "boundary/measured_reflection.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

TEST_CASE("every layer that can be had has a measured reflection", "[unit]") {
  for (const BoundaryFacts& row : boundaries) {
    const BoundaryKind kind = row.choice;
    INFO(row.name);
    for (int width = facts_of(kind).least_width; width < 100; ++width) {
      const auto found = measured_reflection(kind, width);
      REQUIRE(found);
      CHECK(found->face < 1);
      CHECK(found->face > -120);  // float holds no more
    }
    CHECK_FALSE(measured_reflection(kind, 0));
    CHECK_FALSE(measured_reflection(kind, facts_of(kind).least_width - 1));
  }
}

TEST_CASE("a wider layer reflects less", "[unit]") {
  for (const BoundaryFacts& row : boundaries) {
    const BoundaryKind kind = row.choice;
    INFO(row.name);
    for (int width = 10; width < 40; ++width) {
      INFO(width);
      const auto one = measured_reflection(kind, width), wider = measured_reflection(kind, width + 1);
      CHECK(wider->face < one->face);
      CHECK(wider->corner < one->corner);
      CHECK(wider->grazing < one->grazing);
    }
  }
}

TEST_CASE("between the measured widths a reflection lies on the line between them, beyond them it stays",
          "[unit]") {
  for (const BoundaryFacts& row : boundaries) {
    const BoundaryKind kind = row.choice;
    INFO(row.name);
    const auto at = [kind](int width) { return *measured_reflection(kind, width); };
    CHECK(at(22).face == Catch::Approx(at(20).face + 2.0 / 7 * (at(27).face - at(20).face)));
    CHECK(at(26).grazing == Catch::Approx(at(20).grazing + 6.0 / 7 * (at(27).grazing - at(20).grazing)));
    CHECK(at(41).corner == at(40).corner);
    CHECK(at(1000).corner == at(40).corner);
  }
}

}  // namespace
}  // namespace minimod
