/// Rings of planes in shared memory, for every equation, order and precision.
#include "kernels/rings/equation_ring.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

TEST_CASE("The rings of every equation, order and precision fit a block", "[unit]") {
  for (const Equation equation : {Equation::density, Equation::vti}) {
    CHECK(has_equation_ring(equation));
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      for (int radius = 1; radius <= most_radius; ++radius) {
        CAPTURE(static_cast<int>(equation), bytes_of(precision), radius);
        const EquationRingFacts facts = equation_ring_facts(equation, radius, precision);
        CHECK(facts.bytes <= 227 * 1024 - 128);  // but for the barriers
        for (const EquationRingShape& shape : {facts.inner, facts.layer, facts.across_x}) {
          CHECK(shape.threads() <= 1024);
          CHECK(shape.consumers() % 128 == 0);  // registers move by so many threads
          CHECK(shape.lanes <= vector_alignment);
        }
        CHECK(facts.across_x.width <= 32);
      }
    }
  }
  CHECK_FALSE(has_equation_ring(Equation::wave));
}

TEST_CASE("The rings of a layer have the planes of more steps on their way", "[unit]") {
  for (const Equation equation : {Equation::density, Equation::vti}) {
    const EquationRingFacts facts = equation_ring_facts(equation, stencil_radius, Precision::float32);
    CHECK(facts.inner.ahead == 2);
    CHECK(facts.layer.ahead == 4);
    CHECK(facts.layer.width == 64);
    CHECK(facts.across_x.ahead == 4);
  }
}

TEST_CASE("A ring has the planes that a point reads beside it, and those on their way", "[unit]") {
  const RingExtents star({{4, 4, 4}, {4, 4, 4}}, {64, 24, 0}, 2, 4);
  CHECK(star.width == 72);
  CHECK(star.height == 32);
  CHECK(star.depth == 7);  // from the point's plane to the fourth behind it, and two
  CHECK(star.bytes() == 72 * 32 * 4 * 7);
  const RingExtents column({{0, 0, 4}, {0, 0, 4}}, {64, 24, 0}, 2, 4);
  CHECK(column.width == 64);
  CHECK(column.depth == 3);
  const RingExtents half({{2, 0, 0}, {1, 0, 0}}, {16, 3, 0}, 1, 8);
  CHECK(half.width == 24);
  CHECK(half.copied() == 24 * 3 * 8);
  CHECK(half.bytes() == 2 * 640);  // planes stand on 128 B
  using Numbers = ArrayList<3, 0, 7>;
  CHECK(Numbers::index(3) == 0);
  CHECK(Numbers::index(7) == 2);
}
