/// A CPML's layers across x within `tma_ring`. Their terms of a point need u of its plane alone, which the
/// ring has: warps that load nothing make them, R planes before the consumers add them to u⁺. So u, (V Δt)²
/// and u⁺ are not read once more, of which a layer's rows are a third of the lines that they lie on, and ψ
/// and ζ are all that the layers cost of memory traffic.
#pragma once

#include <limits>

#include "kernels/layers/cpml_terms.hpp"
#include "kernels/rings/ring_tile.hpp"
#include "kernels/tiles/tile_walk.hpp"

namespace minimod {

/// Layers of a launch, of which a tile has one at most, and that with all that it corrects.
template <class Tile>
struct RingLayers {
  using Pair = Vector<typename Tile::Real, 2>;
  static constexpr int warps = 7;  ///< a block's that make terms: a lane has two points of a row
  /// Planes whose terms are kept, an even number: made one by one, added R planes later.
  static constexpr int stages = Tile::R / 2 * 2 + 2;
  CpmlPass<float> pass;  ///< without layers: others correct
  int length = 0;        ///< pairs of points of a row that a layer corrects, at most

  /// Pairs of points of a row, in a tile.
  struct Zone {
    int begin = 0, end = 0;
    [[nodiscard]] MINIMOD_HD int length() const { return end - begin; }
  };
  /// The pairs that a layer corrects; a tile that begins at `first` has all or none.
  [[nodiscard]] MINIMOD_HD Zone zone(int layer, int first) const {
    const int begin = pass.layers[layer].begin_corrected - first,
              end = pass.layers[layer].end_corrected - first;
    if (begin < 0 || end > Tile::width) return {};
    return {begin / 2, ceil_div(end, 2)};
  }

  [[nodiscard]] MINIMOD_HD int layers() const { return pass.box.end.z; }
  [[nodiscard]] MINIMOD_HD int pairs_of_plane() const { return length * Tile::height; }
  /// Shared memory for the terms, and for ψ of two planes.
  [[nodiscard]] std::size_t bytes() const { return sizeof(Pair) * (stages + 2) * pairs_of_plane(); }

  /// Has the layers of a pass made here, where each can lie in a tile of its own. The tiles then begin before
  /// the box, at `first`.
  bool take(const CpmlPass<float>& given, const Box3& box, const TileWalk& walk, int& first) {
    pass = given;
    if (is_whole(box)) {
      const int end = first - Tile::width;
      for (int from = first; from > end && from + walk.tiles.x * Tile::width >= box.end.x; from -= Tile::V) {
        if (!fit(from)) continue;
        first = from;
        return true;
      }
    }
    pass.box.end.z = length = 0;
    return false;
  }

 private:
  /// Whether a box has all rows, they stand on vectors, and a number counts the values of ψ.
  [[nodiscard]] bool is_whole(const Box3& box) const {
    bool is_whole = pass.radius == Tile::R && pass.layout.origin % vector_alignment == 0 &&
                    box.begin.y == 0 && box.end.y == pass.box.end.x;
    for (int i = 0; i < layers(); ++i) {
      const CpmlLayer& layer = pass.layers[i];
      is_whole = is_whole && layer.begin_corrected >= box.begin.x && layer.end_corrected <= box.end.x &&
                 layer.memory.index(layer.end, box.end.y, box.end.z) <= std::numeric_limits<int>::max();
    }
    return is_whole;
  }

  /// Sets the length of what tiles from `from` on have of the layers; false where a layer is cut, is more
  /// than the warps take, or lies with another in a tile.
  bool fit(int from) {
    length = 0;
    int tile_before = -1;
    for (int i = 0; i < layers(); ++i) {
      const int tile = (pass.layers[i].begin_corrected - from) / Tile::width;
      const int own = zone(i, from + tile * Tile::width).length();
      if (own == 0 || own > warps || tile == tile_before) return false;
      length = length > own ? length : own;
      tile_before = tile;
    }
    return true;
  }
};

}  // namespace minimod
