/// How many runs are timed, and how well their median is known.
#include <numeric>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/measure/timing.hpp"

using namespace minimod;

namespace {

/// Numbers 1, 2, … n.
std::vector<double> first_numbers(int n) {
  std::vector<double> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

/// Runs of steps that each take what `sleep` says.
TimedRuns runs_of(const RunsWanted& wanted, const std::function<void()>& step) {
  const auto host = make_host_backend();
  return timed_runs({*host, {}, step, [] { return ExchangeCount{}; }}, {}, 2, 1, wanted);
}

}  // namespace

TEST_CASE("The median's interval of 95 % is that of tables, and none of five values", "[unit]") {
  CHECK(!median_interval({}));
  CHECK(!median_interval(first_numbers(5)));
  const auto check = [](int n, double low, double high) {
    CAPTURE(n);
    const auto interval = median_interval(first_numbers(n));
    REQUIRE(interval);
    CHECK(interval->low == low);
    CHECK(interval->high == high);
  };
  check(6, 1, 6);
  check(9, 2, 8);
  check(10, 2, 9);
  check(20, 6, 15);
  check(100, 40, 61);
}

TEST_CASE("Runs are as many as asked for, or end with the time, but not before the least", "[unit]") {
  int steps = 0;
  const TimedRuns exact = runs_of({.exactly = 3}, [&] { ++steps; });
  CHECK(exact.seconds.size() == 3);
  CHECK(steps == 1 + 3 * 2);
  REQUIRE(exact.facts.size() == 3);
  CHECK(exact.facts[2].steps == 2);
  CHECK(exact.facts[0].at.size() == 20);
  CHECK(!exact.facts[0].power.watts);
  int calls = 0;  // each step takes longer than the one before: the median is never known
  const auto slower = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(++calls)); };
  CHECK(runs_of({.seconds = 1e-9, .least = 4}, slower).seconds.size() == 4);
  calls = 0;
  const std::size_t many = runs_of({.seconds = 0.2, .least = 2}, slower).seconds.size();
  CHECK(many > 4);
  CHECK(many < 20);
}

TEST_CASE("Runs of which energy is told last a second, by several times their steps", "[unit]") {
  class Steady final : public PowerSource {
   public:
    PowerState read() override {
      PowerState state;
      state.watts = 40;
      return state;
    }
    [[nodiscard]] std::string how() const override { return "a test"; }
    [[nodiscard]] std::string why_no_energy() const override { return ""; }
    [[nodiscard]] std::vector<std::string> names_of(std::uint64_t) const override { return {}; }
  } steady;
  const auto step = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  const TimedRuns runs = runs_of({.exactly = 1, .power = &steady}, step);
  REQUIRE(runs.facts.size() == 1);
  REQUIRE(runs.facts[0].power.watts);
  CHECK(*runs.facts[0].power.watts == Catch::Approx(40));
  CHECK(runs.facts[0].steps >= 2 * 20);
  CHECK(runs.seconds[0] * runs.facts[0].steps / 2 > 0.9);
  CHECK(runs.seconds[0] < 0.2);
}
