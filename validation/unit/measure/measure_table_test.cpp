/// Tables of records, and the spread of what is timed.
#include <catch2/catch_test_macros.hpp>

#include "src/base/json.hpp"
#include "src/measure/table.hpp"
#include "src/measure/timing.hpp"
#include "validation/cases/means/field_comparison.hpp"

using namespace minimod;

TEST_CASE("A table for scripts has each value under its title, and what a row lacks empty", "[unit]") {
  const Json rows = {{{"error", 0.5}, {"name", "a"}, {"verified", true}, {"unasked", 7}},
                     {{"name", "b"}, {"error", nullptr}}};
  CHECK(csv_of("name,verified,error", rows) == "name,verified,error\na,true,0.5\nb,,\n");
  CHECK(csv_of("name", Json::array()) == "name\n");
}

TEST_CASE("Each number of several runs has a spread of its own, rates the other way round", "[unit]") {
  int call = 0;
  const auto all = spreads(3, [&] {
    ++call;
    return std::vector<double>{call * 1.0, 10.0 - call};
  });
  REQUIRE(all.size() == 2);
  CHECK((all[0].min == 1 && all[0].median == 2 && all[0].max == 3));
  CHECK((all[1].min == 7 && all[1].median == 8 && all[1].max == 9));
  const Spread rate = rates(6, all[0]);
  CHECK((rate.min == 2 && rate.median == 3 && rate.max == 6));
}

TEST_CASE("Parts of a field add up to the difference of the whole", "[unit]") {
  const std::vector<double> found{1, 2, 5, 4}, right{1, 2, 3, 4};
  struct TwoRanks {
    FieldDifference other;
    [[nodiscard]] std::vector<FieldDifference> gather(const FieldDifference& mine) const {
      return {mine, other};
    }
  };
  const auto half = [](const std::vector<double>& all, int first) {
    return std::vector<double>(all.begin() + first, all.begin() + first + 2);
  };
  const TwoRanks ranks{difference_of(half(found, 2), half(right, 2))};
  CHECK(relative_to_all(difference_of(half(found, 0), half(right, 0)), ranks) == relative_l2(found, right));
}
