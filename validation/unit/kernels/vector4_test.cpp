/// Vectors of four values, and layouts in which a vector of the field is one of the PML's auxiliary field
/// too.
#include "kernels/vector4.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "boundary/regions.hpp"

using namespace minimod;

namespace {

constexpr float poison = -77;
using Values = Vector4<float>;
constexpr Values vector{{1, 2, 3, 4}};

/// A vector's worth of poison with as much on either side.
struct alignas(16) Target {
  std::array<float, 12> value;
  Target() { value.fill(poison); }
  float* middle() { return value.data() + 4; }
};

/// Whether the lanes that `lanes` has a bit for hold the vector, and all else poison.
bool holds_just(const Target& target, unsigned lanes) {
  for (int i = 0; i < 12; ++i) {
    const bool is_stored = i >= 4 && i < 8 && (lanes >> (i - 4) & 1U) != 0;
    if (target.value[i] != (is_stored ? vector.value[i - 4] : poison)) return false;
  }
  return true;
}

/// The auxiliary fields of six regions behind each other.
struct RegionStorage {
  std::array<Layout, 6> layouts;
  std::int64_t size = 0;
  RegionStorage(const Regions& regions, const Layout& field) {
    for (int i = 0; i < 6; ++i) {
      layouts[i] = box_layout(regions.pml[i], field, size);
      size += layouts[i].size;
    }
  }
};

/// Calls visit(x, y, z) for the points of a box, and for up to three more at either end of a row, as many as
/// its vectors hold.
void for_points_of_vectors(const Box3& box, const Layout& at, auto visit) {
  const Index3 first = first_of_vectors(box, at);
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      for (int x = first.x; x < box.end.x; x += 4) {
        for (int i = 0; i < 4; ++i) visit(x + i, y, z);
      }
    }
  }
}

}  // namespace

TEST_CASE("A vector has a bit for each of its points in the box", "[unit]") {
  for (int begin = -2; begin < 9; ++begin) {
    for (int end = begin; end < 14; ++end) {
      const Box3 box{{begin, 0, 0}, {end, 1, 1}};
      for (int x = -8; x < 16; ++x) {
        CAPTURE(begin, end, x);
        const unsigned lanes = lanes_in_box(box, x);
        REQUIRE(lanes < 16);
        for (int i = 0; i < 4; ++i) REQUIRE((lanes >> i & 1U) == (box.contains({x + i, 0, 0}) ? 1U : 0U));
      }
    }
  }
}

TEST_CASE("The lanes of a vector that are asked for are stored, and no others", "[unit]") {
  for (unsigned lanes = 0; lanes < 16; ++lanes) {
    CAPTURE(lanes);
    Target target;
    store_lanes(target.middle(), vector, lanes);
    CHECK(holds_just(target, lanes));
  }
}

TEST_CASE("The first values of a vector are stored, and no others", "[unit]") {
  for (int count = 1; count < 8; ++count) {
    CAPTURE(count);
    Target target;
    store_first(target.middle(), vector, count);
    CHECK(holds_just(target, count >= 4 ? 0xf : (1U << count) - 1));
  }
}

TEST_CASE("Tiles begin on a vector of the memory, at most three points before the box", "[unit]") {
  const int aligned_x = GENERATE(0, 3, 27);
  const Layout at = make_grid({60, 50, 40}, {1, 1, 1}, aligned_x).layout;
  for (int x = 0; x < 40; ++x) {
    const Box3 box{{x, 7, 9}, {x + 5, 20, 21}};
    const Index3 first = first_of_vectors(box, at);
    CAPTURE(aligned_x, x, first.x);
    CHECK(at.index(first.x, first.y, first.z) % vector_alignment == 0);
    CHECK((x - first.x >= 0 && x - first.x < vector_alignment));
    CHECK((first.y == 7 && first.z == 9));
  }
}

TEST_CASE("The storages of the regions lie behind each other, of whole vectors as the field has them",
          "[unit]") {
  const int width = GENERATE(1, 3, 5, 7, 8);
  const Extent3 n = GENERATE(Extent3{37, 29, 23}, Extent3{64, 26, 31}, Extent3{25, 40, 25});
  CAPTURE(width, n.x, n.y, n.z);
  const Layout field = make_grid(n, {1, 1, 1}, width).layout;
  const Regions regions = make_regions(n, same_on_all_faces(width));
  const RegionStorage all(regions, field);
  std::vector<int> owner(all.size, -1);
  int overlapping = 0, beyond = 0, not_congruent = 0;
  for (int i = 0; i < 6; ++i) {
    CHECK(all.layouts[i].stride_y % vector_alignment == 0);
    CHECK(all.layouts[i].stride_z % vector_alignment == 0);
    const auto visit = [&](int x, int y, int z) {
      const std::int64_t k = all.layouts[i].index(x, y, z);
      not_congruent += (field.index(x, y, z) - k) % vector_alignment != 0;
      if (k < 0 || k >= all.size) {
        ++beyond;
        return;
      }
      overlapping += owner[k] >= 0;  // another point, of this region or of another
      owner[k] = i;
    };
    for_points_of_vectors(regions.pml[i], field, visit);
  }
  CHECK(beyond == 0);
  CHECK(overlapping == 0);
  CHECK(not_congruent == 0);
}

TEST_CASE("Storing a region's vectors leaves the poison of the other regions and of its own margins",
          "[unit]") {
  const Extent3 n{37, 29, 23};
  const Layout field = make_grid(n, {1, 1, 1}, 5).layout;
  const Regions regions = make_regions(n, same_on_all_faces(5));
  const RegionStorage all(regions, field);
  std::vector<Values> storage;  // aligned
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    const Box3& box = regions.pml[i];
    storage.assign(all.size / 4, Values{{poison, poison, poison, poison}});
    float* phi = storage.front().value;
    for_points_of_vectors(box, field, [&](int x, int y, int z) {
      const std::int64_t k = all.layouts[i].index(x, y, z);
      if (k % 4 == 0) store_lanes(phi + k, vector, lanes_in_box(box, x));
    });
    std::int64_t stored = 0, wrong = 0;
    for (std::int64_t k = 0; k < all.size; ++k) stored += phi[k] != poison;
    for (int z = box.begin.z; z < box.end.z; ++z) {
      for (int y = box.begin.y; y < box.end.y; ++y) {
        for (int x = box.begin.x; x < box.end.x; ++x) wrong += phi[all.layouts[i].index(x, y, z)] == poison;
      }
    }
    CHECK(wrong == 0);
    CHECK(stored == box.points());
  }
}
