/// A plane of u around a tile in shared memory, brought by aligned vector loads wherever the tile stands.
#pragma once

#include "kernels/shape.hpp"

namespace minimod {

/// A part of a window: `width` columns from `column` on and `height` rows from `row` on, counted from the
/// first halo point.
struct WindowPart {
  int column, row, width, height;
};

/// Where a block's window stands in the field.
template <class Real>
struct WindowSource {
  const Real* first;      ///< the aligned value that column 0 of row 0 holds; moves on with the planes
  std::int64_t stride_y;  ///< a multiple of the vector
  int shift;              ///< columns before the first halo point: 0 when that is aligned
  int end_column;         ///< columns and rows from here on are needed by nobody: there the field may end
  int end_row;
};

/// A tile of W x H points and its halo of R on four sides, with up to V - 1 more columns on both ends, so
/// that a vector of V values in memory is one in the window. A vector is read when it holds a value that is
/// needed: it may hold others, but never reaches out of the storage, whose rows begin and end on vectors.
template <class Real, int W, int H, int R, int V>
struct PlaneWindow {
  static constexpr int rows = H + 2 * R;
  static constexpr int pitch = (W + 2 * R + 2 * (V - 1)) / V * V;
  alignas(V * sizeof(Real)) Real value[rows][pitch];

  /// The window of the tile whose first point is `index` in a field with `points_x`, `points_y` points of the
  /// box from there on.
  static MINIMOD_HD WindowSource<Real> source(const Real* field, std::int64_t index, std::int64_t stride_y,
                                              int points_x, int points_y) {
    const std::int64_t first = index - R - R * stride_y;
    const int shift = static_cast<int>(first % V);
    return {field + (first - shift), stride_y, shift, shift + points_x + 2 * R, points_y + 2 * R};
  }

  /// Brings a part by loads of `Width` values (V, or 1 for a part too narrow for vectors). Thread 0 begins
  /// with the first load of every part, so that no warp works on two parts at once.
  template <int Width, int Threads>
  MINIMOD_HD void bring(const WindowSource<Real>& from, int thread, WindowPart part) {
    struct alignas(Width * sizeof(Real)) Vector {
      Real value[Width];
    };
    const int per_row = (part.width + 2 * (Width - 1)) / Width;  // as many as a row can touch
    const int begin = (from.shift + part.column) / Width * Width;
    const int end_column = at_most(from.shift + part.column + part.width, from.end_column);
    const int end_row = at_most(part.row + part.height, from.end_row);
    const int loads = per_row * part.height;
#pragma unroll
    for (int round = 0; round < ceil_div(loads, Threads); ++round) {  // a number the compiler knows
      const int load = round * Threads + thread;
      if (load >= loads) break;
      const int row = part.row + load / per_row, column = begin + load % per_row * Width;
      if (row < end_row && column < end_column) {
        *reinterpret_cast<Vector*>(&value[row][column]) =
            *reinterpret_cast<const Vector*>(from.first + row * from.stride_y + column);
      }
    }
  }

 private:
  static MINIMOD_HD int at_most(int a, int b) {
    return a < b ? a : b;
  }
};

}  // namespace minimod
