/// How a CPML's correction is computed in one pass: lines march along the axis through the layer and keep
/// what they have seen of u and ψ. ψ of a point is new when u of the R points behind it is there; R points
/// later ∂ψ is, and with it ζ and u⁺. So nothing is loaded twice.
#pragma once

#include "boundary/cpml.hpp"
#include "kernels/cpu_level.hpp"
#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// Lines side by side; the pointers stand at the first one's point 0, or where that would be.
struct CpmlLines {
  const float *u, *v2dt2;
  float *u_next, *psi, *zeta;
  std::int64_t along;         ///< from a point to the next, in the fields
  std::int64_t abreast;       ///< from a line to the next, in the fields; 1 in psi and zeta
  std::int64_t memory_along;  ///< from a point to the next, in psi and zeta
  int count;                  ///< lines that there are
};

/// Loads a value of each line; fewer lines only where they are no vectors, of which the rest is loaded, too.
template <int Lines>
MINIMOD_INLINE MINIMOD_HD void load_lines(float (&to)[Lines], const float* from, std::int64_t stride,
                                          int count) {
  if constexpr (Lines == 4) {
    const Vector4<float> vector = vector_at(from, 0);
#pragma unroll
    for (int k = 0; k < Lines; ++k) to[k] = vector.value[k];
  } else {
    for (int k = 0; k < (Lines == 1 ? 1 : count); ++k) to[k] = from[k * stride];
  }
}

template <int Lines>
MINIMOD_INLINE MINIMOD_HD void store_lines(float* to, const float (&from)[Lines], std::int64_t stride,
                                           int count) {
  if constexpr (Lines == 4) {
    store_first(to, {{from[0], from[1], from[2], from[3]}}, count);
  } else {
    for (int k = 0; k < (Lines == 1 ? 1 : count); ++k) to[k * stride] = from[k];
  }
}

/// Through a layer, `Points` points at once in the middle of it, so that so many loads are under way.
template <int Lines, int Points>
class CpmlMarch {
 public:
  MINIMOD_INLINE MINIMOD_HD CpmlMarch(const CpmlPass& pass, const CpmlLayer& layer, const CpmlLines& lines)
      : pass_(pass), layer_(layer), lines_(lines) {}

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
  using Row = float[Lines];  ///< a value of each line

  MINIMOD_INLINE MINIMOD_HD void load(Row& to, const float* field, int i) const {
    load_lines(to, field + i * lines_.along, lines_.abreast, lines_.count);
  }
  MINIMOD_INLINE MINIMOD_HD void load_memory(Row& to, const float* memory, int i) const {
    load_lines(to, memory + i * lines_.memory_along, 1, lines_.count);
  }
  MINIMOD_INLINE MINIMOD_HD void store(float* field, int i, const Row& from) const {
    store_lines(field + i * lines_.along, from, lines_.abreast, lines_.count);
  }
  MINIMOD_INLINE MINIMOD_HD void store_memory(float* memory, int i, const Row& from) const {
    store_lines(memory + i * lines_.memory_along, from, 1, lines_.count);
  }

  MINIMOD_INLINE MINIMOD_HD void take_u(Row& to, int i) const {
    if (layer_.needs_u(i)) {
      load(to, lines_.u, i);
    } else {
#pragma unroll
      for (int k = 0; k < Lines; ++k) to[k] = 0;
    }
  }

  /// ∂ψ of line k, of the point in slot w; ψ is 0 outside of the slots below `end`.
  [[nodiscard]] MINIMOD_INLINE MINIMOD_HD float slope_of_psi(int w, int end, int k) const {
    return slope(pass_, [&](int m) { return w + m < 0 || w + m >= end ? 0 : psi_[w + m][k]; });
  }

  /// Up to ψ of the first R points: from there on it is the march of every point. Where the layer lies behind
  /// the points inwards of it, these are corrected.
  MINIMOD_INLINE MINIMOD_HD void enter() {
    const int first = layer_.begin - R;
    Row v2dt2[R], u_next[R];
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) take_u(u_[w], first + w);
#pragma unroll
    for (int p = 0; p < R; ++p) {
      const int i = layer_.begin + p;
      if (!layer_.contains(i)) continue;
      load_memory(psi_[R + p], lines_.psi, i);
      a_[p] = pass_.a[i];
      b_[p] = pass_.b[i];
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.corrects(first + p)) continue;
      load(v2dt2[p], lines_.v2dt2, first + p);
      load(u_next[p], lines_.u_next, first + p);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.contains(layer_.begin + p)) continue;
      renew_psi(R + p, R + p, a_[p], b_[p]);
      store_memory(lines_.psi, layer_.begin + p, psi_[R + p]);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (layer_.corrects(first + p)) correct_inner(first + p, p, v2dt2[p], u_next[p]);
    }
  }

  /// ψ in a slot, of the point whose u is in slot `u`.
  MINIMOD_INLINE MINIMOD_HD void renew_psi(int slot, int u, float a, float b) {
    MINIMOD_INDEPENDENT
    for (int k = 0; k < Lines; ++k) {
      psi_[slot][k] = b * psi_[slot][k] + a * slope(pass_, [&](int m) { return u_[u + m][k]; });
    }
  }

  /// A point beside the layer, whose ψ is in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct_inner(int i, int w, const Row& v2dt2, Row& u_next) {
    MINIMOD_INDEPENDENT
    for (int k = 0; k < Lines; ++k) u_next[k] += v2dt2[k] * slope_of_psi(w, 2 * R, k);
    store(lines_.u_next, i, u_next);
  }

  /// A point of the layer, whose u and ψ are in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct(int i, int w, int end, float a, float b, Row& zeta, const Row& v2dt2,
                                         Row& u_next) {
    MINIMOD_INDEPENDENT
    for (int k = 0; k < Lines; ++k) {
      const float of_psi = slope_of_psi(w, end, k);
      const float of_u = curvature(pass_, [&](int m) { return u_[w + m][k]; });
      zeta[k] = b * zeta[k] + a * (of_u + of_psi);
      u_next[k] += v2dt2[k] * (of_psi + zeta[k]);
    }
    store_memory(lines_.zeta, i, zeta);
    store(lines_.u_next, i, u_next);
  }

  /// From j on, where ψ of R points ahead is known.
  template <int Count>
  MINIMOD_INLINE MINIMOD_HD void go_on(int j) {
    Row zeta[Count], v2dt2[Count], u_next[Count];
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      take_u(u_[3 * R + p], j + 2 * R + p);
      load_memory(psi_[2 * R + p], lines_.psi, j + R + p);
      load_memory(zeta[p], lines_.zeta, j + p);
      load(v2dt2[p], lines_.v2dt2, j + p);
      load(u_next[p], lines_.u_next, j + p);
      a_[R + p] = pass_.a[j + R + p];
      b_[R + p] = pass_.b[j + R + p];
    }
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      renew_psi(2 * R + p, 2 * R + p, a_[R + p], b_[R + p]);
      store_memory(lines_.psi, j + R + p, psi_[2 * R + p]);
      correct(j + p, R + p, 2 * R + p + 1, a_[p], b_[p], zeta[p], v2dt2[p], u_next[p]);
    }
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) copy(u_[w], u_[w + Count]);
#pragma unroll
    for (int w = 0; w < 2 * R; ++w) copy(psi_[w], psi_[w + Count]);
#pragma unroll
    for (int w = 0; w < R; ++w) {
      a_[w] = a_[w + Count];
      b_[w] = b_[w + Count];
    }
  }

  /// The last R points of the layer, from j on, and where it lies before the points inwards of it, these.
  MINIMOD_INLINE MINIMOD_HD void leave(int j) {
    Row zeta[R], v2dt2[2 * R], u_next[2 * R];
#pragma unroll
    for (int p = 0; p < 2 * R; ++p) {
      if (p < R && layer_.contains(j + p)) load_memory(zeta[p], lines_.zeta, j + p);
      if (!layer_.corrects(j + p)) continue;
      load(v2dt2[p], lines_.v2dt2, j + p);
      load(u_next[p], lines_.u_next, j + p);
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

  MINIMOD_INLINE static MINIMOD_HD void copy(Row& to, const Row& from) {
    MINIMOD_INDEPENDENT
    for (int k = 0; k < Lines; ++k) to[k] = from[k];
  }

  const CpmlPass& pass_;
  const CpmlLayer& layer_;
  const CpmlLines& lines_;
  // What is known when the march is at point j.
  Row u_[4 * R]{};                 ///< from point j − R on
  Row psi_[3 * R]{};               ///< from point j − R on
  float a_[2 * R]{}, b_[2 * R]{};  ///< from point j on
};

/// The lines of a layer from (abreast, other) on, in memory.
template <int Axis>
MINIMOD_INLINE MINIMOD_HD CpmlLines lines_of(const CpmlPass& pass, const CpmlLayer& layer, int abreast,
                                             int other, int most) {
  const LineLayout field = lines_along(Axis, pass.layout);
  const std::int64_t line = field.index(0, abreast, other), memory = layer.memory.index(0, abreast, other);
  const int left = pass.box.end.x - abreast;
  return {pass.u + line, pass.v2dt2 + line, pass.u_next + line, pass.psi + memory,        pass.zeta + memory,
          field.along,   field.abreast,     layer.memory.along, left < most ? left : most};
}

/// Layers on a GPU, straight from memory: a thread has a line, or four, whose neighbours abreast are its
/// warp's.
template <int Axis, int Lines, int Points>
struct CpmlAcrossRows : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32, 4, 1};
  struct Shared {};

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x * Lines); }
  static Extent3 blocks(const Box3& box) {
    return {tiles_abreast(box) * ceil_div(box.end.y, threads.y), box.end.z, 1};
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const CpmlPass& pass, Shared& /*shared*/) const {
    const int tiles = tiles_abreast(pass.box);
    const int abreast = (block.index().x % tiles * threads.x + block.thread().x) * Lines;
    const int other = block.index().x / tiles * threads.y + block.thread().y;
    if (abreast >= pass.box.end.x || other >= pass.box.end.y) return;
    const CpmlLayer& layer = pass.layers[block.index().y];
    CpmlMarch<Lines, Points>(pass, layer, lines_of<Axis>(pass, layer, abreast, other, Lines)).run();
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
      CpmlLines line = lines_of<0>(pass, layer, first_row + thread, other, 1);
      line.u = shared.u[thread] - first;
      line.v2dt2 = shared.v2dt2[thread] - first;
      line.u_next = shared.u_next[thread] - first;
      CpmlMarch<1, Points>(pass, layer, line).run();
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
  if (pass.axis == 2) return run.template operator()<CpmlAcrossRows<2, 1, points>>();
  if (pass.axis == 1) return run.template operator()<CpmlAcrossRows<1, 1, points>>();
  if (fit(Narrow{})) return run.template operator()<Narrow>();
  if (fit(Medium{})) return run.template operator()<Medium>();
  if (fit(Wide{})) return run.template operator()<Wide>();
  return run.template operator()<CpmlAcrossRows<0, 1, points>>();
}

/// Layers on the host, of so many lines abreast that loops over them become vectors.
inline constexpr int host_lines = 32;

/// Number `item` of tiles(box) groups of such lines.
template <int Axis>
MINIMOD_INLINE void correct_on_host(const CpmlPass& pass, std::int64_t item) {
  const int tiles = ceil_div(pass.box.end.x, host_lines);
  const int abreast = static_cast<int>(item % tiles) * host_lines;
  const auto other = static_cast<int>(item / tiles % pass.box.end.y);
  const CpmlLayer& layer = pass.layers[item / tiles / pass.box.end.y];
  CpmlMarch<host_lines, 1>(pass, layer, lines_of<Axis>(pass, layer, abreast, other, host_lines)).run();
}

[[nodiscard]] inline std::int64_t groups_on_host(const CpmlPass& pass) {
  return std::int64_t{ceil_div(pass.box.end.x, host_lines)} * pass.box.end.y * pass.box.end.z;
}

}  // namespace minimod
