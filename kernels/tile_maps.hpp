/// What a copy engine must know of fields to bring tiles of them: `Map` is that of the device (tma.cuh) or
/// the one it is played with (played_block.hpp).
#pragma once

#include <deque>
#include <utility>

#include "kernels/vector4.hpp"

namespace minimod {

/// What a copy brings from memory into the L2: the sectors of 32 B that it asks for, or their whole lines.
enum class Fetch { sectors, lines };

/// A plane of a tile in shared memory, as the copy engine brings it: rows of vectors.
template <int Vectors, int Rows>
struct alignas(128) PlaneOfTile {
  Vector4<float> value[Rows][Vectors];
};

/// The same with its halo: a vector on either side, which is as wide as the stencil reaches.
template <int Vectors, int Rows>
using PlaneWithHalo = PlaneOfTile<Vectors + 2, Rows + 2 * stencil_radius>;

/// Of the points of a box from `begin` on, which is at most its first point and stands on 16 B.
template <class Map, class Value>
Map map_of_box(const Value* field, const Layout& at, const Box3& box, Index3 begin, int width, int height,
               Fetch fetch) {
  const Extent3 n{box.end.x - begin.x, box.end.y - begin.y, box.end.z - begin.z};
  return Map(field + at.index(begin.x, begin.y, begin.z), n, at, width, height, fetch);
}

/// The same with the stencil's planes above and below the box.
template <class Map>
Map map_with_planes_around(const float* field, const Layout& at, const Box3& box, Index3 begin, int width,
                           int height, Fetch fetch) {
  constexpr int R = stencil_radius;
  const Box3 around{{begin.x, begin.y, begin.z - R}, {box.end.x, box.end.y, box.end.z + R}};
  return map_of_box<Map>(field, at, around, around.begin, width, height, fetch);
}

/// The same with a halo on all sides, of the tile too.
template <class Map>
Map map_with_halo(const float* field, const Layout& at, const Box3& box, Index3 begin, int width, int height,
                  Fetch fetch) {
  constexpr int R = stencil_radius;
  const Box3 around{{begin.x - R, begin.y - R, begin.z - R}, {box.end.x + R, box.end.y + R, box.end.z + R}};
  return map_of_box<Map>(field, at, around, around.begin, width + 2 * R, height + 2 * R, fetch);
}

/// The maps of a field of a launch, each encoded when it is first met: fields change places from step to
/// step, their addresses stay.
template <class Map>
class TileMaps {
 public:
  template <class Encode>
  const Map& of(const void* field, const Encode& encode) {
    for (const auto& [address, map] : maps_) {
      if (address == field) return map;
    }
    return maps_.emplace_back(field, encode()).second;
  }

 private:
  std::deque<std::pair<const void*, Map>> maps_;  // whose references stay
};

}  // namespace minimod
