/// A plane of u around a tile in shared memory, one at a time between two barriers, brought by aligned vector
/// loads wherever the tile stands.
#pragma once

#include "kernels/equation.hpp"

namespace minimod {

/// The halos that vectors bring together with the tile: above and below it, left and right of it, or all.
enum class Halos { y, x, all };

/// A thread's view of the window of a tile of W x H points with its halo of R on four sides, which has up to
/// V - 1 more columns on both ends, so that a vector of V values in memory is one in the window. A vector is
/// read when it holds a value that is needed: it may hold others, but never reaches out of the storage, whose
/// rows begin and end on vectors.
template <class Equation, Halos With, int TX, int TY, int RX, int RY, int V>
struct PlaneWindow {
  using Real = typename Equation::Real;
  static constexpr int ahead = 0, planes = 1;
  using Next = const Real*;  ///< the aligned value that column 0 of row 0 holds of the plane that comes
  static constexpr int R = Equation::radius, W = TX * RX, H = TY * RY;
  static constexpr int rows = H + 2 * R, pitch = (W + 2 * R + 2 * (V - 1)) / V * V;
  static constexpr int lanes = 1, apart_y = TY;
  static constexpr bool is_one_by_one = true;
  struct Shared {
    alignas(V * sizeof(Real)) Real value[rows][pitch];
  };
  static constexpr VectorWidths vectors = vectors_of_2_or_4;
  static constexpr Refusal refusal(const ShapeParameters& of) { return why_no_vector(of.vector_width); }
  /// Whole vectors wherever the tile begins.
  static MINIMOD_HD constexpr int shared_values(const ShapeParameters& of, Reach reach) {
    const int v = of.vector_width, halo = 2 * reach.upper.x;
    return (of.tile.x + halo + 2 * (v - 1)) / v * v * (of.tile.y + halo);
  }

  Shared& shared;
  int thread;
  std::int64_t stride_y;    ///< a multiple of the vector
  int shift;                ///< columns before the first halo point: 0 when that is aligned
  int end_column, end_row;  ///< from here on nobody needs values: there the field may end

  template <class Block>
  MINIMOD_HD PlaneWindow(const Memory<Equation, Block>& memory, Shared& window, Index3 first,
                         std::int64_t index, int number)
      : shared(window),
        thread(number),
        stride_y(memory.args.layout.stride_y),
        shift(static_cast<int>((index - R - R * stride_y) % V)),
        end_column(shift + memory.args.box.end.x - first.x + 2 * R),
        end_row(memory.args.box.end.y - first.y + 2 * R) {}

  template <class Block>
  [[nodiscard]] MINIMOD_HD Next begin(const Memory<Equation, Block>& memory, std::int64_t index, int,
                                      int) const {
    return memory.template array<Equation::u>() + (index - R - R * stride_y - shift);
  }
  template <class Block>
  MINIMOD_HD void take(const Memory<Equation, Block>& memory, Next& next, unsigned, bool) const {
    if constexpr (With == Halos::y) {
      bring<V>(next, R, 0, W, rows);
      bring<1>(next, 0, R, R, H);
      bring<1>(next, R + W, R, R, H);
    } else if constexpr (With == Halos::x) {
      bring<V>(next, 0, R, W + 2 * R, H);
      bring<V>(next, R, 0, W, R);
      bring<V>(next, R, R + H, W, R);
    } else {
      bring<V>(next, 0, 0, W + 2 * R, rows);
    }
    next += memory.args.layout.stride_z;
    memory.block.sync();
  }
  template <int, int>
  [[nodiscard]] MINIMOD_HD Real value(unsigned, int i, int j, int x, int y) const {
    return shared.value[j + R + y][i + R + shift + x];
  }

 private:
  /// Brings `width` columns from `column` on and `height` rows from `row` on, counted from the first halo
  /// point, by loads of `Width` values (1 for a part too narrow for vectors). Thread 0 begins with the first
  /// load of every part, so that no warp works on two parts at once.
  template <int Width>
  MINIMOD_HD void bring(Next next, int column, int row, int width, int height) const {
    using Values = Vector<Real, Width>;
    const int per_row = (width + 2 * (Width - 1)) / Width;  // as many as a row can touch
    const int begin_x = (shift + column) / Width * Width, loads = per_row * height;
    const int end_x = shift + column + width < end_column ? shift + column + width : end_column;
    const int end_y = row + height < end_row ? row + height : end_row;
#pragma unroll
    for (int round = 0; round < ceil_div(loads, TX * TY); ++round) {  // a number the compiler knows
      const int load = round * TX * TY + thread;
      if (load >= loads) break;
      const int y = row + load / per_row, x = begin_x + load % per_row * Width;
      if (y < end_y && x < end_x) {
        *reinterpret_cast<Values*>(&shared.value[y][x]) =
            *reinterpret_cast<const Values*>(next + y * stride_y + x);
      }
    }
  }
};

}  // namespace minimod
