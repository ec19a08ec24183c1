/// A box cut into blocks of whole rows that march along z, for the cores of a CPU: while a plane of a block
/// is updated, the planes that it reads lie in the cache of the core.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/shape.hpp"

namespace minimod {

/// Bytes that the rows of a block may take of a core's own cache, which today has 1 to 2 MiB.
inline constexpr std::int64_t block_bytes = 720 << 10;

/// Blocks of rows of as equal a number along y as can be. Their planes are numbered one block behind the
/// other.
struct RowBlocks {
  Box3 box;
  int blocks;

  [[nodiscard]] int planes() const { return blocks * box.extent().z; }
  [[nodiscard]] Box3 operator[](int plane) const {
    const Extent3 n = box.extent();
    const int block = plane / n.z, z = box.begin.z + plane % n.z;
    const auto begin_y = [&](int k) {
      return box.begin.y + static_cast<int>(std::int64_t{n.y} * k / blocks);
    };
    return {{box.begin.x, begin_y(block), z}, {box.end.x, begin_y(block + 1), z + 1}};
  }
};

/// Blocks that fit into the cache, of `bytes` for each of their rows, and of `least` rows.
inline RowBlocks cut_rows(const Box3& box, std::int64_t bytes, int least) {
  const auto rows = std::max(block_bytes / bytes, std::int64_t{least});
  return {box, ceil_div(box.extent().y, static_cast<int>(rows))};
}

}  // namespace minimod
