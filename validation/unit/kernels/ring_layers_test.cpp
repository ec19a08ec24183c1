/// Where the tiles of `tma_ring` begin for a CPML's layers to lie in one each.
#include "kernels/rings/ring_layers.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

namespace {

using Tile = RingTile<32, 8, 4, 2, 3, 3>;  // 128 points along x

/// A pass of layers of so many points across x, each of which corrects four points inwards of it.
CpmlPass<float> pass_of(Extent3 n, int left, int right) {
  CpmlPass<float> pass;
  pass.box = {{0, 0, 0}, {n.y, n.z, 0}};
  const auto add = [&](int begin, int end, int begin_corrected, int end_corrected) {
    CpmlLayer layer;
    layer.begin = begin;
    layer.end = end;
    layer.begin_corrected = begin_corrected;
    layer.end_corrected = end_corrected;
    pass.layers[pass.box.end.z++] = layer;
  };
  if (left > 0) add(0, left, 0, left + stencil_radius);
  if (right > 0) add(n.x - right, n.x, n.x - right - stencil_radius, n.x);
  return pass;
}

struct Taken {
  bool whole;
  int first, length;
  friend bool operator==(const Taken&, const Taken&) = default;
};

Taken take(Extent3 n, int left, int right, int first_y = 0) {
  const Box3 box{{0, first_y, 0}, {n.x, n.y, n.z}};
  TileWalk walk;
  walk.tiles = blocks_covering(n, {Tile::width, Tile::height, n.z});
  RingLayers<Tile> layers;
  int first = 0;
  const bool whole = layers.take(pass_of(n, left, right), box, walk, first);
  CHECK(layers.layers() == (whole ? (left > 0) + (right > 0) : 0));
  return {whole, first, layers.length};
}

}  // namespace

TEST_CASE("Tiles of tma_ring begin where each layer across x lies in one", "[unit]") {
  CHECK(take({1000, 100, 50}, 10, 10) == Taken{true, 0, 7});
  CHECK(take({512, 100, 50}, 2, 9) == Taken{true, 0, 7});  // 13 points, of which the first is half a pair
  CHECK(take({132, 100, 50}, 10, 10) == Taken{true, -12, 7});
  CHECK(take({132, 100, 50}, 0, 5) == Taken{true, -8, 5});
}

TEST_CASE("Layers across x stay behind tma_ring where its tiles or warps have no room", "[unit]") {
  const Taken none{false, 0, 0};
  CHECK(take({1001, 100, 50}, 10, 10) == none);  // eight pairs
  CHECK(take({1000, 100, 50}, 11, 10) == none);
  CHECK(take({128, 100, 50}, 10, 10) == none);              // both in a tile
  CHECK(take({256, 100, 50}, 10, 10).whole);                // one in each
  CHECK(take({1000, 100, 50}, 10, 10, 20) == none);         // not all rows
  CHECK(take({1000, 100, 50}, 0, 0) == Taken{true, 0, 0});  // no layer is no work
}
