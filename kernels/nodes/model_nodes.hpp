/// Velocities of a model in the memory that a device reads.
#pragma once

#include <cstdint>
#include <limits>

#include "src/base/extents.hpp"

namespace minimod {

/// Velocities, which are normal numbers above 0, are between these.
inline constexpr float least_of_velocities = std::numeric_limits<float>::min(),
                       greatest_of_velocities = std::numeric_limits<float>::max();

/// Without a branch, for vectors.
[[nodiscard]] MINIMOD_HD inline bool is_velocity(float v) {
  return (static_cast<int>(v >= least_of_velocities) & static_cast<int>(v <= greatest_of_velocities)) != 0;
}

/// Nodes of a model, with any strides.
struct ModelNodes {
  const void* first = nullptr;  ///< value of node (0, 0, 0)
  bool are_doubles = false;     ///< doubles, which become floats; else they are floats
  Extent3 n;
  std::int64_t stride_x = 1, stride_y = 0, stride_z = 0;  ///< values from a node to its neighbour
  double factor = 1;                                      ///< from a value to m/s

  /// Where a node's value stands.
  [[nodiscard]] MINIMOD_HD std::int64_t index(int x, int y, int z) const {
    return x * stride_x + y * stride_y + z * stride_z;
  }
  /// As the model has it.
  [[nodiscard]] MINIMOD_HD float value(int x, int y, int z) const {
    const std::int64_t i = index(x, y, z);
    return are_doubles ? static_cast<float>(static_cast<const double*>(first)[i])
                       : static_cast<const float*>(first)[i];
  }
  /// m/s
  [[nodiscard]] MINIMOD_HD float velocity(int x, int y, int z) const {
    return static_cast<float>(factor * value(x, y, z));
  }
  [[nodiscard]] ModelNodes part(const Box3& box) const {
    ModelNodes nodes = *this;
    const std::int64_t i = index(box.begin.x, box.begin.y, box.begin.z);
    nodes.first = are_doubles ? static_cast<const void*>(static_cast<const double*>(first) + i)
                              : static_cast<const float*>(first) + i;
    nodes.n = box.extent();
    return nodes;
  }
};

/// Nodes on a grid, of which the first lies on point `begin`. Points beyond them have the outermost values.
struct PlacedNodes {
  ModelNodes nodes;
  Index3 begin;

  /// Nodes whose planes are counted from plane `z` on.
  [[nodiscard]] PlacedNodes from_plane(int z) const { return {nodes, {begin.x, begin.y, begin.z - z}}; }
  [[nodiscard]] MINIMOD_HD float velocity(Index3 p) const {
    return nodes.velocity(nearest_in(p.x - begin.x, 0, nodes.n.x), nearest_in(p.y - begin.y, 0, nodes.n.y),
                          nearest_in(p.z - begin.z, 0, nodes.n.z));
  }
};

/// Facts of a row of nodes along x.
struct RowFacts {
  std::uint32_t crc32 = 0;        ///< checksum of its values as floats, of all nodes
  float least = 0, greatest = 0;  ///< m/s, of the nodes looked at
  std::int32_t bad = 0;           ///< number of them that are no velocities
  std::int32_t first_bad = 0;     ///< x of the first of these
};

}  // namespace minimod
