/// How a GPU computes a CPML's correction in one pass: lines march along the axis through the layer and keep
/// what they have seen of u and ψ. ψ of a point is new when u of the R points behind it is there; R points
/// later ∂ψ is, and with it ζ and u⁺. So nothing is loaded twice.
#pragma once

#include "boundary/cpml.hpp"
#include "kernels/cpu_level.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// A line; the pointers stand at its point 0, or where that would be.
struct CpmlLine {
  const float *u, *v2dt2;
  float *u_next, *psi, *zeta;
  std::int64_t along;         ///< from a point to the next, in the fields
  std::int64_t memory_along;  ///< from a point to the next, in psi and zeta
};

/// Through a layer, `Points` points at once in the middle of it, so that so many loads are under way.
template <int Points>
class CpmlMarch {
 public:
  MINIMOD_INLINE MINIMOD_HD CpmlMarch(const CpmlPass& pass, const CpmlLayer& layer, const CpmlLine& line)
      : pass_(pass), layer_(layer), line_(line) {}

  MINIMOD_INLINE MINIMOD_HD void run() {
    enter();
    int j = layer_.begin;
#pragma unroll 1
    for (; j + Points <= layer_.end - R; j += Points) go_on<Points>(j);
    if constexpr (Points > 1) {
#pragma unroll 1
      for (; j < layer_.end - R; ++j) go_on<1>(j);
    }
    leave(j);
  }

 private:
  static constexpr int R = stencil_radius;

  [[nodiscard]] MINIMOD_HD float u_at(int i) const {
    return layer_.needs_u(i) ? line_.u[i * line_.along] : 0;
  }
  [[nodiscard]] MINIMOD_HD float v2dt2_at(int i) const {
    return line_.v2dt2[i * line_.along];
  }
  [[nodiscard]] MINIMOD_HD float& u_next_at(int i) const {
    return line_.u_next[i * line_.along];
  }
  [[nodiscard]] MINIMOD_HD float& psi_at(int i) const {
    return line_.psi[i * line_.memory_along];
  }
  [[nodiscard]] MINIMOD_HD float& zeta_at(int i) const {
    return line_.zeta[i * line_.memory_along];
  }

  /// ∂ψ of the point in slot w; ψ is 0 outside of the slots below `end`.
  [[nodiscard]] MINIMOD_INLINE MINIMOD_HD float slope_of_psi(int w, int end) const {
    return slope(pass_, [&](int m) { return w + m < 0 || w + m >= end ? 0 : psi_[w + m]; });
  }

  /// Up to ψ of the first R points: from there on it is the march of every point. Where the layer lies behind
  /// the points inwards of it, these are corrected.
  MINIMOD_INLINE MINIMOD_HD void enter() {
    const int first = layer_.begin - R;
    float v2dt2[R], u_next[R];
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) u_[w] = u_at(first + w);
#pragma unroll
    for (int p = 0; p < R; ++p) {
      const int i = layer_.begin + p;
      if (!layer_.contains(i)) continue;
      psi_[R + p] = psi_at(i);
      a_[p] = pass_.a[i];
      b_[p] = pass_.b[i];
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.corrects(first + p)) continue;
      v2dt2[p] = v2dt2_at(first + p);
      u_next[p] = u_next_at(first + p);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.contains(layer_.begin + p)) continue;
      renew_psi(layer_.begin + p, R + p, a_[p], b_[p]);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (layer_.corrects(first + p)) correct_inner(first + p, p, v2dt2[p], u_next[p]);
    }
  }

  /// ψ of a point, whose u and ψ are in slot w.
  MINIMOD_INLINE MINIMOD_HD void renew_psi(int i, int w, float a, float b) {
    psi_[w] = b * psi_[w] + a * slope(pass_, [&](int m) { return u_[w + m]; });
    psi_at(i) = psi_[w];
  }

  /// A point beside the layer, whose ψ is in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct_inner(int i, int w, float v2dt2, float u_next) {
    u_next_at(i) = u_next + v2dt2 * slope_of_psi(w, 2 * R);
  }

  /// A point of the layer, whose u and ψ are in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct(int i, int w, int end, float a, float b, float zeta, float v2dt2,
                                         float u_next) {
    const float of_psi = slope_of_psi(w, end);
    const float of_u = curvature(pass_, [&](int m) { return u_[w + m]; });
    const float now = b * zeta + a * (of_u + of_psi);
    zeta_at(i) = now;
    u_next_at(i) = u_next + v2dt2 * (of_psi + now);
  }

  /// From j on, where ψ of R points ahead is known.
  template <int Count>
  MINIMOD_INLINE MINIMOD_HD void go_on(int j) {
    float zeta[Count], v2dt2[Count], u_next[Count];
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      u_[3 * R + p] = u_at(j + 2 * R + p);
      psi_[2 * R + p] = psi_at(j + R + p);
      zeta[p] = zeta_at(j + p);
      v2dt2[p] = v2dt2_at(j + p);
      u_next[p] = u_next_at(j + p);
      a_[R + p] = pass_.a[j + R + p];
      b_[R + p] = pass_.b[j + R + p];
    }
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      renew_psi(j + R + p, 2 * R + p, a_[R + p], b_[R + p]);
      correct(j + p, R + p, 2 * R + p + 1, a_[p], b_[p], zeta[p], v2dt2[p], u_next[p]);
    }
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) u_[w] = u_[w + Count];
#pragma unroll
    for (int w = 0; w < 2 * R; ++w) psi_[w] = psi_[w + Count];
#pragma unroll
    for (int w = 0; w < R; ++w) {
      a_[w] = a_[w + Count];
      b_[w] = b_[w + Count];
    }
  }

  /// The last R points of the layer, from j on, and where it lies before the points inwards of it, these.
  MINIMOD_INLINE MINIMOD_HD void leave(int j) {
    float zeta[R], v2dt2[2 * R], u_next[2 * R];
#pragma unroll
    for (int p = 0; p < 2 * R; ++p) {
      if (p < R && layer_.contains(j + p)) zeta[p] = zeta_at(j + p);
      if (!layer_.corrects(j + p)) continue;
      v2dt2[p] = v2dt2_at(j + p);
      u_next[p] = u_next_at(j + p);
    }
#pragma unroll
    for (int p = 0; p < 2 * R; ++p) {
      if (p < R && layer_.contains(j + p)) {
        correct(j + p, R + p, 2 * R, a_[p], b_[p], zeta[p], v2dt2[p], u_next[p]);
      } else if (layer_.corrects(j + p)) {
        correct_inner(j + p, R + p, v2dt2[p], u_next[p]);
      }
    }
  }

  const CpmlPass& pass_;
  const CpmlLayer& layer_;
  const CpmlLine& line_;
  // What is known when the march is at point j.
  float u_[4 * R]{};               ///< from point j − R on
  float psi_[3 * R]{};             ///< from point j − R on
  float a_[2 * R]{}, b_[2 * R]{};  ///< from point j on
};

/// A line of a layer, in memory.
template <int Axis>
MINIMOD_INLINE MINIMOD_HD CpmlLine line_of(const CpmlPass& pass, const CpmlLayer& layer, int abreast,
                                           int other) {
  const LineLayout field = lines_along(Axis, pass.layout);
  const std::int64_t line = field.index(0, abreast, other), memory = layer.memory.index(0, abreast, other);
  return {pass.u + line,      pass.v2dt2 + line, pass.u_next + line, pass.psi + memory,
          pass.zeta + memory, field.along,       layer.memory.along};
}

/// Layers on a GPU, straight from memory: a thread has a line, whose neighbours abreast are its warp's.
template <int Axis, int Points>
struct CpmlAcrossRows : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32, 4, 1};
  struct Shared {};

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x); }
  static Extent3 blocks(const Box3& box) {
    return {tiles_abreast(box) * ceil_div(box.end.y, threads.y), box.end.z, 1};
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const CpmlPass& pass, Shared& /*shared*/) const {
    const int tiles = tiles_abreast(pass.box);
    const int abreast = block.index().x % tiles * threads.x + block.thread().x;
    const int other = block.index().x / tiles * threads.y + block.thread().y;
    if (abreast >= pass.box.end.x || other >= pass.box.end.y) return;
    const CpmlLayer& layer = pass.layers[block.index().y];
    CpmlMarch<Points>(pass, layer, line_of<Axis>(pass, layer, abreast, other)).run();
  }
};

/// Layers across x on a GPU: rows of u, (V Δt)² and u⁺ go through shared memory, so that they are loaded and
/// stored along x while each thread marches along a row. Of layers whose rows have `Columns` values at most,
/// from the line of 32 B on that they begin in.
template <int Columns, int Rows, int Points>
struct CpmlAlongRows : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{Rows, 1, 1};
  static constexpr int sector = 8;           // values of 32 B
  static constexpr int pitch = Columns + 1;  // odd: the threads' rows lie in banks of their own
  struct Shared {
    float u[threads.x][pitch], v2dt2[threads.x][pitch], u_next[threads.x][pitch];
  };

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x); }
  static Extent3 blocks(const Box3& box) { return {tiles_abreast(box) * box.end.y, box.end.z, 1}; }

  /// The first column of the tile of a layer: rows are multiples of a sector apart.
  static MINIMOD_HD int first_column(const CpmlPass& pass, const CpmlLayer& layer) {
    const int begin = layer.begin_u < layer.begin_corrected ? layer.begin_u : layer.begin_corrected;
    return begin - static_cast<int>((pass.layout.origin + begin + sector) % sector);
  }
  static MINIMOD_HD int end_column(const CpmlLayer& layer) {
    return layer.end_u > layer.end_corrected ? layer.end_u : layer.end_corrected;
  }
  static bool takes(const CpmlPass& pass, const CpmlLayer& layer) {
    return end_column(layer) - first_column(pass, layer) <= Columns;
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const CpmlPass& pass, Shared& shared) const {
    const int tiles = tiles_abreast(pass.box);
    const int first_row = block.index().x % tiles * threads.x, other = block.index().x / tiles;
    const CpmlLayer& layer = pass.layers[block.index().y];
    const int first = first_column(pass, layer), thread = block.thread().x;
    const std::int64_t corner = lines_along(0, pass.layout).index(first, first_row, other);
    const int rows = pass.box.end.x - first_row;
    for_each_value(pass, layer, thread, rows, [&](int row, int column, std::int64_t at) {
      if (layer.needs_u(first + column)) block.copy_async(&shared.u[row][column], pass.u + corner + at);
      if (!layer.corrects(first + column)) return;
      block.copy_async(&shared.v2dt2[row][column], pass.v2dt2 + corner + at);
      block.copy_async(&shared.u_next[row][column], pass.u_next + corner + at);
    });
    block.commit();
    block.template wait<0>();
    block.sync();
    if (thread < rows) {
      CpmlLine line = line_of<0>(pass, layer, first_row + thread, other);
      line.u = shared.u[thread] - first;
      line.v2dt2 = shared.v2dt2[thread] - first;
      line.u_next = shared.u_next[thread] - first;
      CpmlMarch<Points>(pass, layer, line).run();
    }
    block.sync();
    for_each_value(pass, layer, thread, rows, [&](int row, int column, std::int64_t at) {
      if (layer.corrects(first + column)) pass.u_next[corner + at] = shared.u_next[row][column];
    });
  }

  /// Calls work(row, column, index from the corner on) for the values of the tile that are the thread's.
  template <class Work>
  static MINIMOD_HD void for_each_value(const CpmlPass& pass, const CpmlLayer& layer, int thread, int rows,
                                        const Work& work) {
    const int columns = end_column(layer) - first_column(pass, layer);
    for (int column = thread % sector; column < columns; column += sector) {
#pragma unroll
      for (int row = thread / sector; row < threads.x; row += threads.x / sector) {
        if (row < rows) work(row, column, column + row * pass.layout.stride_y);
      }
    }
  }
};

/// Calls run.operator()<Shape>() with the shape that a GPU takes for a pass: across x tiles as wide as the
/// layers need, with as many rows as fit into what a kernel may declare; wider rows march straight from
/// memory.
template <class Run>
void with_device_shape(const CpmlPass& pass, const Run& run) {
  constexpr int points = 4;
  const auto fit = [&]<class Tile>(Tile) {
    for (int i = 0; i < pass.box.end.z; ++i) {
      if (!Tile::takes(pass, pass.layers[i])) return false;
    }
    return true;
  };
  using Narrow = CpmlAlongRows<24, 64, points>;
  using Medium = CpmlAlongRows<40, 64, points>;
  using Wide = CpmlAlongRows<96, 32, points>;
  if (pass.axis == 2) return run.template operator()<CpmlAcrossRows<2, points>>();
  if (pass.axis == 1) return run.template operator()<CpmlAcrossRows<1, points>>();
  if (fit(Narrow{})) return run.template operator()<Narrow>();
  if (fit(Medium{})) return run.template operator()<Medium>();
  if (fit(Wide{})) return run.template operator()<Wide>();
  return run.template operator()<CpmlAcrossRows<0, points>>();
}

}  // namespace minimod
