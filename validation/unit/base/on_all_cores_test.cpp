/// Pieces of work on all cores: each is done once, also beside one that fails.
#include "src/base/process/on_all_cores.hpp"

#include <atomic>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

TEST_CASE("What one piece of work throws comes when all have ended", "[unit]") {
  constexpr std::size_t pieces = 20;
  std::vector<std::atomic<int>> done(pieces);
  const Outcome outcome = outcome_of([&] {
    on_all_cores("minimod::test", pieces, [&](std::size_t i) {
      ++done[i];
      if (i == 3) throw Error(ErrorKind::resource, "the third", "leave it out");
    });
  });
  CHECK(outcome.kind == ErrorKind::resource);
  CHECK(outcome.says("the third"));
  for (const std::atomic<int>& times : done) CHECK(times == 1);
}

}  // namespace
}  // namespace minimod
