#include "boundary/regions.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace minimod;

namespace {
std::vector<int> times_covered(Extent3 n, const Regions& regions) {
  std::vector<int> covered(n.points(), 0);
  const auto cover = [&](const Box3& box) {
    for (int z = box.begin.z; z < box.end.z; ++z) {
      for (int y = box.begin.y; y < box.end.y; ++y) {
        for (int x = box.begin.x; x < box.end.x; ++x) {
          ++covered[(std::int64_t{z} * n.y + y) * n.x + x];
        }
      }
    }
  };
  cover(regions.inner);
  for (const Box3& box : regions.pml) cover(box);
  return covered;
}
}  // namespace

TEST_CASE("The inner box and the six PML regions are disjoint and cover the grid", "[unit]") {
  const auto n = GENERATE(Extent3{30, 30, 30}, Extent3{17, 40, 23}, Extent3{9, 9, 9}, Extent3{64, 12, 31});
  const auto widths = GENERATE(same_on_all_faces(0), same_on_all_faces(1), same_on_all_faces(3),
                               PmlWidths{3, 1, 2, 3, 0, 2}, PmlWidths{3, 3, 3, 3, 0, 0});
  const Regions regions = make_regions(n, widths);
  const std::vector<int> covered = times_covered(n, regions);
  CHECK(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
  CHECK(regions.inner.points() + regions.pml_points() == n.points());
  CHECK(regions.inner.begin == Index3{widths.left, widths.front, widths.top});
}

TEST_CASE("Top and bottom are the low and high z, full in x and y; left and right the x slabs", "[unit]") {
  const Regions regions = make_regions({20, 30, 40}, same_on_all_faces(5));
  CHECK(regions.pml[0] == Box3{{0, 0, 0}, {20, 30, 5}});
  CHECK(regions.pml[1] == Box3{{0, 0, 35}, {20, 30, 40}});
  CHECK(regions.pml[2] == Box3{{0, 0, 5}, {20, 5, 35}});
  CHECK(regions.pml[3] == Box3{{0, 25, 5}, {20, 30, 35}});
  CHECK(regions.pml[4] == Box3{{0, 5, 5}, {5, 25, 35}});
  CHECK(regions.pml[5] == Box3{{15, 5, 5}, {20, 25, 35}});
}

TEST_CASE("The first point of the inner box is aligned in memory and the halo lies in the storage",
          "[unit]") {
  const int width = GENERATE(0, 5, 27, 28, 40);
  const Extent3 n{101, 33, 17};
  const Layout at = make_grid(n, {1, 1, 1}, width).layout;
  CHECK(at.index(width, 0, 0) % row_alignment == 0);
  CHECK(at.stride_y % row_alignment == 0);
  CHECK(at.index(-stencil_radius, -stencil_radius, -stencil_radius) >= 0);
  CHECK(at.index(n.x - 1 + stencil_radius, n.y - 1 + stencil_radius, n.z - 1 + stencil_radius) < at.size);
  CHECK(at.index(n.x - 1 + stencil_radius, 0, 0) < at.index(-stencil_radius, 1, 0));
}

TEST_CASE("Indices beyond 2^31 points are exact", "[unit]") {
  const Extent3 n{1900, 1900, 1900};
  const Layout at = make_grid(n, {1, 1, 1}, 27).layout;
  CHECK(n.points() == std::int64_t{6859000000});
  CHECK(at.index(1899, 1899, 1899) - at.index(0, 0, 0) == 1899 + 1899 * at.stride_y + 1899 * at.stride_z);
  CHECK(at.size == at.stride_z * (1900 + 2 * stencil_radius));
}
