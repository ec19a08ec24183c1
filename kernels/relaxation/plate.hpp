/// A heated plate, and where its nodes lie in memory.
///
/// The plate has n.x by n.y nodes whose temperature is sought, (0, 0) to (n.x − 1, n.y − 1), and a frame of
/// nodes around them whose temperature is given. Node (i, j) is red where i + j is even, else black. The axis
/// z counts the colours: 0 red, 1 black.
#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/shape.hpp"

namespace minimod::relaxation {

enum class Storage {
  packed_rows,    ///< rows right behind each other
  aligned_rows,   ///< rows padded, so that node (0, j) begins a line of 128 B
  colours_apart,  ///< each colour in rows of its own, aligned so; its points are pairs of columns
};

inline constexpr int line_bytes = 128;

/// Layout of n nodes and their frame. In rows, the planes of both colours are one. Apart, point (k, j,
/// colour) is node 2k or 2k + 1 of row j, whichever has the colour. `value_bytes`: of a value.
[[nodiscard]] inline Layout make_plate_layout(Extent3 n, Storage storage, int value_bytes) {
  const bool apart = storage == Storage::colours_apart;
  const int alignment = storage == Storage::packed_rows ? 1 : line_bytes / value_bytes;
  const std::int64_t values_of_row = (apart ? n.x / 2 : n.x) + 2;
  Layout layout;
  layout.stride_y = round_up(values_of_row, alignment);
  layout.origin = alignment + layout.stride_y;  // left of a row: in the padding of that before
  const std::int64_t plane = layout.origin + (std::int64_t{n.y} + 1) * layout.stride_y;
  layout.stride_z = apart ? plane : 0;
  layout.size = apart ? 2 * plane : plane;
  return layout;
}

/// Where node (i, j) stands, −1 ≤ i ≤ n.x, −1 ≤ j ≤ n.y.
[[nodiscard]] MINIMOD_HD inline std::int64_t index_of_node(const Layout& layout, int i, int j) {
  return layout.stride_z > 0 ? layout.index(i >> 1, j, (i + j) & 1) : layout.index(i, j, 0);
}

/// The bits of a value ≥ 0 in order of its size; those of a NaN are above all others.
template <class Real>
[[nodiscard]] MINIMOD_HD inline std::uint64_t size_bits(Real value) {
  using Bits = std::conditional_t<sizeof(Real) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  Bits bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits & (~Bits(0) >> 1);
}

}  // namespace minimod::relaxation
