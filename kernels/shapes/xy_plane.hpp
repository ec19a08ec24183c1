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
      fill_point(lane, from, stride_y, own, copy);
    } else {
      for_points_of_lane<TX, TY, PX, PY>([&](int a, int b, int x, int y) {
        if (lane.template fetches<upper.x, upper.y>(x, y))
          own(&at(lane.t.x + x, lane.t.y + y), from + x + y * stride_y, a, b);
      });
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
  /// Whether the first threads of each axis bring the halo points before the tile and behind it, which splits
  /// warps: not worth it for four such points a row and column, or fewer (165 Gpt/s, 133 so), nor for threads
  /// with several points each (200, 94: seven-point stars on an H100). A thread that has such a point before
  /// the tile has a point of its own that is fetched.
  static constexpr bool has_threads_for_sides = Halo::is_star && PX * PY == 1 &&
                                                lower.x + upper.x + lower.y + upper.y > 4 &&
                                                TX >= lower.x&& TX >= upper.x&& TY >= lower.y&& TY >=
                                                    upper.y&& upper.x + 1 >= lower.x&& upper.y + 1 >= lower.y;

  /// The thread's only point, with what it brings of the sides: unless the tile is cut by the box's end and
  /// nobody needs them.
  template <class LaneType, class Own, class Copy>
  MINIMOD_HD void fill_point(const LaneType& lane, const Value* its, std::int64_t stride_y, const Own& own,
                             const Copy& copy) {
    if (!lane.template fetches<upper.x, upper.y>()) return;
    const int i = lane.t.x, j = lane.t.y;
    own(&at(i, j), its, 0, 0);
    if constexpr (has_threads_for_sides) {
      if (i < lower.x) copy(&at(i - lower.x, j), its - lower.x);
      if (i < upper.x && lane.template fetches<upper.x, upper.y>(W, 0)) copy(&at(i + W, j), its + W);
      if (j < lower.y) copy(&at(i, j - lower.y), its - lower.y * stride_y);
      if (j < upper.y && lane.template fetches<upper.x, upper.y>(0, H))
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
