/// Maps of fields, by which a copy engine brings tiles of them: `Map` is that of the device (tma.cuh) or the
/// one it is emulated with (emulated_block.hpp).
#pragma once

#include <deque>
#include <utility>

#include "kernels/device/tile_plane.hpp"

namespace minimod {

/// Points around a box that a map reaches, as far as the stencil does: its tiles, too, those along x and y.
enum class MapHalo { none, along_z, around };

/// The maps of a launch's fields by tiles of so many points, each encoded when it is first met: fields change
/// places from step to step, their addresses stay.
template <class Map>
class TileMaps {
 public:
  /// `beside`: values of a halo along x on either side of a tile, as many as `radius` or more.
  TileMaps(int width, int height, Fetch fetch, int radius = stencil_radius, int beside = stencil_radius)
      : width_(width), height_(height), fetch_(fetch), radius_(radius), beside_(beside) {}

  /// The map of a box's points from `first` on, which is at most its first point and stands on 16 B.
  template <class Value>
  const Map& of(const Value* field, const Layout& at, const Box3& box, Index3 first, MapHalo halo) {
    auto& maps = maps_[static_cast<int>(halo)];
    for (const auto& [address, map] : maps) {
      if (address == field) return map;
    }
    const int across = halo == MapHalo::around ? radius_ : 0, before = halo == MapHalo::around ? beside_ : 0;
    const int along = halo == MapHalo::none ? 0 : radius_;
    const Box3 mapped{{first.x - before, first.y - across, first.z - along},
                      {box.end.x + across, box.end.y + across, box.end.z + along}};
    const Index3 begin = mapped.begin;
    const Map map(field + at.index(begin.x, begin.y, begin.z), mapped.extent(), at, width_ + 2 * before,
                  height_ + 2 * across, fetch_);
    return maps.emplace_back(field, map).second;
  }

 private:
  int width_, height_;
  Fetch fetch_;
  int radius_, beside_;
  std::deque<std::pair<const void*, Map>> maps_[3];  // references to entries stay
};

}  // namespace minimod
