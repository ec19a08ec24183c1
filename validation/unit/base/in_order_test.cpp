/// Results of all cores in the order of their numbers, and what comes behind a failure.
#include "src/base/process/in_order.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

constexpr std::size_t pieces = 200;

Error failure_of(std::size_t piece) {
  return {ErrorKind::io, text("piece ", piece), "leave it out"};
}

}  // namespace

TEST_CASE("Results are taken in order, each once", "[unit]") {
  std::vector<std::size_t> taken;
  in_order(
      pieces, [](std::size_t i) { return i * i; },
      [&](std::size_t i, std::size_t square) {
        CHECK(square == i * i);
        taken.push_back(i);
      });
  REQUIRE(taken.size() == pieces);
  for (std::size_t i = 0; i < pieces; ++i) CHECK(taken[i] == i);
  in_order(
      0, [](std::size_t i) { return i; }, [](std::size_t, std::size_t) { FAIL(); });
}

TEST_CASE("The first failure in order ends the work, whether in making or in taking", "[unit]") {
  for (const bool in_making : {true, false}) {
    std::size_t taken = 0;
    const Outcome outcome = outcome_of([&] {
      in_order(
          pieces,
          [&](std::size_t i) {
            if (in_making && i >= 50) throw failure_of(i);
            return i;
          },
          [&](std::size_t i, std::size_t) {
            if (i >= 50) throw failure_of(i);
            ++taken;
          });
    });
    CHECK(outcome.kind == ErrorKind::io);
    CHECK(outcome.says("piece 50"));
    CHECK(taken == 50);
  }
}

}  // namespace minimod
