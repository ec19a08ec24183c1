/// Maps of tiles: whatever the box and its storage, they have what a stencil reads.
#include "kernels/device/tile_maps.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/vector4.hpp"

using namespace minimod;

namespace {

/// A map that says what it was made with.
struct SeenMap {
  SeenMap(const float* /*field*/, Extent3 mapped, const Layout& /*at*/, int tile_width, int /*tile_height*/,
          Fetch /*fetch*/)
      : extent(mapped), width(tile_width) {}
  Extent3 extent;
  int width;
};

}  // namespace

TEST_CASE("A map of tiles has all points of a box and of the stencil's halo, wherever the storage begins",
          "[unit]") {
  const std::vector<float> storage(1 << 20);
  for (int radius = 1; radius <= most_radius; ++radius) {
    for (int width = 3; width <= 40; ++width) {
      const Extent3 n{3 * width + 5, 9, 11};
      const Grid grid = make_grid(n, {1, 1, 1}, width, {radius});
      const Box3 right{{n.x - width, 2, 3}, {n.x, 7, 8}};
      const Layout& at = grid.layout;
      const Index3 first = first_of_vectors(right, at);
      const int beside = ceil_div(radius, vector_alignment) * vector_alignment;
      TileMaps<SeenMap> maps(32, 4, Fetch::lines, radius, beside);
      CAPTURE(radius, width);
      const SeenMap& u = maps.of(storage.data(), at, right, first, MapHalo::around);
      CHECK(first.x - beside + u.extent.x == n.x + radius);
      CHECK(u.width == 32 + 2 * beside);
      // A slab's own storage, behind others in the same array.
      const Layout slab = box_layout(right, at, 1004);
      const SeenMap& phi = maps.of(storage.data() + 4, slab, right, first, MapHalo::none);
      CHECK(first.x + phi.extent.x == n.x);
      // The vectors left of the grid's first point are the row's own.
      const Index3 corner = first_of_vectors({{0, 0, 0}, {n.x, n.y, n.z}}, at);
      CHECK(at.index(corner.x - beside, -radius, -radius) >= 0);
    }
  }
}
