#include "kernels/whole/work_shares.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace minimod;

TEST_CASE("Threads that share work do every piece once", "[unit]") {
  const int threads = GENERATE(1, 2, 5), pieces = GENERATE(0, 1, 3, 20000);
  WorkShares shares(pieces, threads);
  std::vector<std::atomic<int>> done(pieces);
  std::vector<std::thread> team;
  team.reserve(threads);
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] { shares.work_off(thread, [&](int piece) { ++done[piece]; }); });
  }
  for (std::thread& thread : team) thread.join();
  for (const auto& times : done) REQUIRE(times == 1);
}

TEST_CASE("A thread that is through takes the second half of what most is left of", "[unit]") {
  WorkShares shares(12, 3);
  std::vector<int> by_first;
  shares.work_off(0, [&](int piece) { by_first.push_back(piece); });
  CHECK(by_first == std::vector<int>{0, 1, 2, 3, 6, 7, 10, 11, 5, 9, 4, 8});
  shares.work_off(1, [](int) { FAIL("nothing is left"); });
}
