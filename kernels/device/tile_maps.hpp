/// Maps of fields, by which a copy engine brings tiles of them: `Map` is that of the device (tma.cuh) or the
/// one it is emulated with (emulated_block.hpp).
#pragma once

#include <deque>
#include <utility>

#include "kernels/device/tile_plane.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// Points around a box that a map reaches, as far as the stencil does: its tiles, too, those along x and y.
enum class MapHalo { none, along_z, around };

/// The maps of fields, each made when it is first met: fields change places from step to step, their
/// addresses stay.
template <class Map>
class MapsOfFields {
 public:
  template <class Make>
  const Map& of(const void* field, const Make& make) {
    for (const auto& [address, map] : maps_) {
      if (address == field) return map;
    }
    return maps_.emplace_back(field, make()).second;
  }

 private:
  std::deque<std::pair<const void*, Map>> maps_;  // references to entries stay
};

/// The map of a box's points by tiles of so many points, with those that a reach adds around both. Tiles
/// begin at `first`, which is at most the box's first point and stands on 16 B; the reach along x is whole
/// vectors. Beyond `right`, the points right of the box that a stencil reads, a copy brings zeros: there the
/// storage may end.
template <class Map, class Value>
[[nodiscard]] Map map_around(const Value* field, const Layout& at, const Box3& box, Index3 first,
                             const Reach& reach, int right, int width, int height, Fetch fetch) {
  const auto& [lower, upper] = reach;
  const Index3 begin{first.x - lower.x, first.y - lower.y, first.z - lower.z};
  const Box3 mapped{begin, {box.end.x + right, box.end.y + upper.y, box.end.z + upper.z}};
  return Map(field + at.index(begin.x, begin.y, begin.z), mapped.extent(), at, lower.x + width + upper.x,
             lower.y + height + upper.y, fetch);
}

/// The maps of a launch's fields by tiles of so many points.
template <class Map>
class TileMaps {
 public:
  /// `beside`: values of a halo along x on either side of a tile, as many as `radius` or more.
  TileMaps(int width, int height, Fetch fetch, int radius = stencil_radius, int beside = stencil_radius)
      : width_(width), height_(height), fetch_(fetch), radius_(radius), beside_(beside) {}

  template <class Value>
  const Map& of(const Value* field, const Layout& at, const Box3& box, Index3 first, MapHalo halo) {
    return maps_[static_cast<int>(halo)].of(field, [&] {
      Index3 far;
      if (halo == MapHalo::around) far = {beside_, radius_, radius_};
      if (halo == MapHalo::along_z) far = {0, 0, radius_};
      const int right = halo == MapHalo::around ? radius_ : 0;
      return map_around<Map>(field, at, box, first, {far, far}, right, width_, height_, fetch_);
    });
  }

 private:
  int width_, height_;
  Fetch fetch_;
  int radius_, beside_;
  MapsOfFields<Map> maps_[3];
};

}  // namespace minimod
