/// A plane of an array around a 2-D tile in shared memory, as the 2.5-D streaming shapes stage it.
#pragma once

#include "kernels/shapes/streaming.hpp"

namespace minimod {

/// A tile of W x H points and a halo on four sides of Halo::reach, by threads with PX x PY points each. The
/// corners are filled where they are read.
template <class Value, class Halo, int W, int H, int PX = 1, int PY = 1>
struct XyPlane {
  static constexpr Reach reach = Halo::reach;
  static constexpr Index3 lower = reach.lower, upper = reach.upper;
  static constexpr int width = W - 1 + depth_x(reach), height = H - 1 + depth_y(reach);
  static constexpr int TX = W / PX, TY = H / PY;
  Value value[height][width];

  /// The value at an offset from the tile's first point.
  [[nodiscard]] MINIMOD_HD Value& at(int x, int y) { return value[y + lower.y][x + lower.x]; }
  [[nodiscard]] MINIMOD_HD const Value& at(int x, int y) const { return value[y + lower.y][x + lower.x]; }

  /// Brings the plane: the points of a thread by own(to, from, a, b), all others by copy(to, from); `from` is
  /// the thread's first point.
  template <class LaneType, class Own, class Copy>
  MINIMOD_HD void fill(const LaneType& lane, const Value* from, std::int64_t stride_y, const Own& own,
                       const Copy& copy) {
    if constexpr (PX * PY == 1) {
      fill_point(lane, 0, 0, from, stride_y, own, copy);
    } else {
#pragma unroll
      for (int b = 0; b < PY; ++b) {
#pragma unroll
        for (int a = 0; a < PX; ++a) fill_point(lane, a, b, from, stride_y, own, copy);
      }
    }
    if constexpr (!has_threads_for_sides) {
      fill_around(lane, from - lane.t.x - lane.t.y * stride_y, stride_y, copy);
    }
  }
  template <class LaneType, class Copy>
  MINIMOD_HD void fill(const LaneType& lane, const Value* from, std::int64_t stride_y, const Copy& copy) {
    fill(
        lane, from, stride_y, [&](Value* to, const Value* its, int, int) { copy(to, its); }, copy);
  }

 private:
  /// Whether the first threads of each axis bring the halo points before the tile and behind it. One that has
  /// such a point before the tile has a point of its own that is fetched.
  static constexpr bool has_threads_for_sides = Halo::is_star && TX >= lower.x && TX >= upper.x &&
                                                TY >= lower.y && TY >= upper.y && upper.x + 1 >= lower.x &&
                                                upper.y + 1 >= lower.y;

  /// Point a, b of a thread, with what it brings of the sides.
  template <class LaneType, class Own, class Copy>
  MINIMOD_HD void fill_point(const LaneType& lane, int a, int b, const Value* from, std::int64_t stride_y,
                             const Own& own, const Copy& copy) {
    const int x = a * TX, y = b * TY;
    if (!lane.template fetches<upper.x, upper.y>(x, y)) return;
    const Value* const its = from + x + y * stride_y;
    own(&at(lane.t.x + x, lane.t.y + y), its, a, b);
    if constexpr (has_threads_for_sides) fill_sides(lane, x, y, its, stride_y, copy);
  }

  /// Unless the tile is cut by the box's end and nobody needs them.
  template <class LaneType, class Copy>
  MINIMOD_HD void fill_sides(const LaneType& lane, int x, int y, const Value* its, std::int64_t stride_y,
                             const Copy& copy) {
    const int i = lane.t.x + x, j = lane.t.y + y;
    if (x == 0) {
      if (lane.t.x < lower.x) copy(&at(i - lower.x, j), its - lower.x);
      if (lane.t.x < upper.x && lane.template fetches<upper.x, upper.y>(W, y)) copy(&at(i + W, j), its + W);
    }
    if (y == 0) {
      if (lane.t.y < lower.y) copy(&at(i, j - lower.y), its - lower.y * stride_y);
      if (lane.t.y < upper.y && lane.template fetches<upper.x, upper.y>(x, H))
        copy(&at(i, j + H), its + H * stride_y);
    }
  }

  /// The rows before the tile and behind it, whole, and both ends of its rows, by all threads of the block;
  /// `first` is the tile's first point.
  template <class LaneType, class Copy>
  MINIMOD_HD void fill_around(const LaneType& lane, const Value* first, std::int64_t stride_y,
                              const Copy& copy) {
    constexpr int ends = width - W, rows = (height - H) * width, threads = TX * TY;
#pragma unroll 4
    for (int round = 0; round < ceil_div(rows + ends * H, threads); ++round) {  // a number the compiler knows
      const int k = round * threads + lane.t.x + TX * lane.t.y;
      if (k >= rows + ends * H) break;
      int x = k % width - lower.x, y = k / width - lower.y;
      if (k < rows) {
        y += y < 0 ? 0 : H;
      } else {
        constexpr int divisor = ends > 0 ? ends : 1;  // without ends, no such k
        x = (k - rows) % divisor - lower.x;
        x += x < 0 ? 0 : W;
        y = (k - rows) / divisor;
      }
      if (lane.template fetches<upper.x, upper.y>(x - lane.t.x, y - lane.t.y))
        copy(&at(x, y), first + x + y * stride_y);
    }
  }
};

}  // namespace minimod
