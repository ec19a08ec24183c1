/// Numbers of common midpoints follow from places alone.
#include "src/io/gather/midpoints.hpp"

#include <cmath>
#include <set>

#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

constexpr Point3 extent{2000, 1000, 500};

ShotGeometry shot_at(Point3 source, const std::vector<Point3>& receivers) {
  return {1, {{source, ""}}, receivers};
}

Point3 middle(Point3 a, Point3 b) {
  return {(a.x + b.x) / 2, (a.y + b.y) / 2, 0};
}

TEST_CASE("midpoints of a line are counted along it in half receiver spacings", "[unit]") {
  const std::vector<ShotGeometry> shots = {
      shot_at({100, 300, 5}, {{200, 300, 0}, {225, 300, 0}, {250, 300, 0}}),
      shot_at({150, 300, 5}, {{150, 300, 0}, {175, 300, 0}})};
  const MidpointBins bins = bins_of(shots, extent, 10);
  CHECK(bins.size == 12.5);
  CHECK(bins.columns == 0);
  CHECK(bins.number_of({0, 300, 0}) == 1);
  CHECK(bins.number_of(middle({100, 300, 5}, {200, 300, 0})) == 13);
  CHECK(bins.number_of(middle({150, 300, 5}, {150, 300, 0})) == 13);  // the same place in another shot
  CHECK(bins.number_of(middle({150, 300, 5}, {175, 300, 0})) == 14);
  // Between two centres it is the greater number, whatever is left of the position by rounding.
  for (const double x : {156.25, std::nextafter(156.25, 0.0), std::nextafter(156.25, 1e9)})
    CHECK(bins.number_of({x, 300, 0}) == 14);
}

TEST_CASE("a line may run any way and be shot from any end", "[unit]") {
  // Along (4, -3) from (100, 700): every 50 m.
  std::vector<Point3> places;
  for (int i = 0; i < 12; ++i) places.push_back({100 + 40.0 * i, 700 - 30.0 * i, 0});
  const MidpointBins there = bins_of({shot_at(places.front(), places)}, extent, 10);
  const MidpointBins back = bins_of({shot_at(places.back(), {places.rbegin(), places.rend()})}, extent, 10);
  CHECK(std::abs(there.size - 25) < 1e-9);
  CHECK(there.columns == 0);
  std::set<std::int64_t> numbers;
  for (const Point3& place : places) {
    CHECK(there.number_of(middle(places.front(), place)) == back.number_of(middle(place, places.front())));
    numbers.insert(there.number_of(middle(places.front(), place)));
  }
  CHECK(numbers.size() == places.size());
  CHECK(*numbers.begin() >= 1);
  CHECK(*numbers.rbegin() - *numbers.begin() == 11);
}

TEST_CASE("midpoints of a map are counted in rows", "[unit]") {
  const MidpointBins bins = bins_of(
      {shot_at({500, 500, 5}, {{200, 100, 0}, {240, 100, 0}, {280, 100, 0}, {200, 900, 0}})}, extent, 10);
  CHECK(bins.size == 20);
  REQUIRE(bins.columns >= 101);
  CHECK(bins.number_of({0, 0, 0}) == 1);
  CHECK(bins.number_of({2000, 0, 0}) == 101);
  CHECK(bins.number_of({0, 20, 0}) == 1 + bins.columns);
  CHECK(bins.number_of({2000, 0, 0}) < bins.number_of({0, 20, 0}));
  CHECK(bins.number_of({1e9, 1e9, 0}) == 0);  // no 32 bits hold it
  CHECK(MidpointBins{}.number_of({0, 0, 0}) == 0);
  CHECK(bins_of({shot_at({500, 500, 5}, {{500, 500, 0}})}, extent, 10).size == 5);  // no receiver spacing
}

TEST_CASE("a gather keeps what its midpoints are counted in", "[unit]") {
  ShotGather gather;
  CHECK(bins_of(gather).size == 0);
  const MidpointBins bins{12.5, {0.8, -0.6}, -600, 7};
  gather.metadata = facts_of(bins);
  const MidpointBins found = bins_of(gather);
  CHECK(found.size == bins.size);
  CHECK(found.along[0] == bins.along[0]);
  CHECK(found.along[1] == bins.along[1]);
  CHECK(found.first == bins.first);
  CHECK(found.columns == bins.columns);
}

}  // namespace
}  // namespace minimod
