/// How a GPU corrects the layers across x, whose rows are short: tiles of rows in shared memory, loaded and
/// stored along x, in which each thread has points of one row. All loads are under way at once; ψ of the tile
/// is new before ζ and u⁺ are.
#pragma once

#include "boundary/cpml/cpml.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// The media of a tile, staged as u is, and what the terms of a point are given of them.
template <int Media, int Rows, int Columns>
struct CpmlTileMedia {
  float media[Media][Rows][Columns + 2 * stencil_radius + 1];
  [[nodiscard]] MINIMOD_HD auto around(int row, int column) const {
    return [this, row, column](int k, int m) { return media[k][row][stencil_radius + column + m]; };
  }
};
template <int Rows, int Columns>
struct CpmlTileMedia<0, Rows, Columns> {
  [[nodiscard]] MINIMOD_HD auto around(int /*row*/, int /*column*/) const { return nullptr; }
};

/// Tile of layers whose rows have `Columns` values at most, from the line of 32 B on that they begin in.
template <int Columns, int Rows, int Warps, int Blocks, int Media = 0>
struct CpmlTile : ShapeDefaults {
  static constexpr int R = stencil_radius;
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32 * Warps, 1, 1};
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int sector = 8;           // values of 32 B
  static constexpr int width = Columns - R;  // width of the widest layer
  static constexpr int threads_a_row = threads.x / Rows;
  static constexpr int points = ceil_div(width, threads_a_row);  // points of a thread, at most
  // Lines of an odd length: the rows of a warp's threads lie in banks of their own.
  struct Shared : CpmlTileMedia<Media, Rows, Columns> {
    float u[Rows][Columns + 2 * R + 1];  ///< from R points before the first column on
    float v2dt2[Rows][Columns + 1], u_next[Rows][Columns + 1];
    float psi[width + 2 * R][Rows];  ///< from R points before the layer on
  };

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, Rows); }
  static Extent3 blocks(const Box3& box) { return {tiles_abreast(box) * box.end.y, box.end.z, 1}; }

  /// The first column of the tile of a layer: rows are multiples of a sector apart.
  template <class Pass>
  static MINIMOD_HD int first_column(const Pass& pass, const CpmlLayer& layer) {
    const int begin = layer.begin_u < layer.begin_corrected ? layer.begin_u : layer.begin_corrected;
    return begin - static_cast<int>((pass.layout.origin + begin + sector) % sector);
  }
  static MINIMOD_HD int end_column(const CpmlLayer& layer) {
    return layer.end_u > layer.end_corrected ? layer.end_u : layer.end_corrected;
  }
  template <class Pass>
  static bool takes(const Pass& pass) {
    for (int i = 0; i < pass.box.end.z; ++i) {
      const CpmlLayer& layer = pass.layers[i];
      if (end_column(layer) - first_column(pass, layer) > Columns || layer.end - layer.begin > width)
        return false;
    }
    return true;
  }

  template <class Block, class Pass>
  MINIMOD_HD void operator()(const Block& block, const Pass& pass, Shared& shared) const {
    using Terms = typename Pass::Terms;
    static_assert(Terms::media == Media);
    const int tiles = tiles_abreast(pass.box);
    const int first_row = block.index().x % tiles * Rows, other = block.index().x / tiles;
    const CpmlLayer& layer = pass.layers[block.index().y];
    const int first = first_column(pass, layer), rows = pass.box.end.x - first_row;
    const std::int64_t corner = lines_along(0, pass.layout).index(first, first_row, other);
    for_each_value(pass, layer, block.thread().x, rows, [&](int row, int column, std::int64_t at) {
      if (layer.needs_u(first + column)) block.copy_async(&shared.u[row][R + column], pass.u + corner + at);
      if (!layer.corrects(first + column)) return;
      block.copy_async(&shared.v2dt2[row][column], pass.v2dt2 + corner + at);
      block.copy_async(&shared.u_next[row][column], pass.u_next + corner + at);
    });
    if constexpr (Media > 0) {
      const auto stage = [&](int row, int column, std::int64_t at) {
        const int i = first + column;
        if (i < layer.begin - R || i >= layer.end + R) return;
        for (int k = 0; k < Media; ++k)
          block.copy_async(&shared.media[k][row][R + column], pass.media[k] + corner + at);
      };
      for_each_value<sector>(pass, layer, block.thread().x, rows, stage);
    }
    block.commit();

    const int row = block.thread().x % Rows, mine = block.thread().x / Rows;
    const bool has_row = row < rows;
    const std::int64_t memory = layer.memory.index(0, first_row + row, other);
    float psi[points], zeta[points];
    for_each_point(layer, mine, [&](int k, int i) {
      if (!has_row) return;
      psi[k] = pass.psi[memory + i * layer.memory.along];
      zeta[k] = pass.zeta[memory + i * layer.memory.along];
    });
    float* const u = shared.u[row] + (R - first);
    for_each_beside(layer, mine, [&](int i) {
      if (!layer.needs_u(i)) u[i] = 0;
      shared.psi[R + i - layer.begin][row] = 0;
    });
    block.template wait<0>();
    block.sync();

    for_each_point(layer, mine, [&](int k, int i) {
      if (!has_row) return;
      psi[k] = renewed(pass.a[i], pass.b[i], psi[k],
                       Terms::flux(
                           pass, [&](int m) { return u[i + m]; }, shared.around(row, i - first)));
      pass.psi[memory + i * layer.memory.along] = psi[k];
      shared.psi[R + i - layer.begin][row] = psi[k];
    });
    block.sync();

    const float* const v2dt2 = shared.v2dt2[row] - first;
    float* const u_next = shared.u_next[row] - first;
    for_each_point(layer, mine, [&](int k, int i) {
      if (!has_row) return;
      const float of_psi = slope(pass, [&](int m) { return shared.psi[R + i + m - layer.begin][row]; });
      const float terms = renewed_terms(
          pass, of_psi, [&](int m) { return u[i + m]; }, shared.around(row, i - first),
          [&](float met) {
            return pass.zeta[memory + i * layer.memory.along] = renewed(pass.a[i], pass.b[i], zeta[k], met);
          });
      u_next[i] = corrected(u_next[i], v2dt2[i], terms);
    });
    for_each_beside(layer, mine, [&](int i) {
      if (!has_row || !layer.corrects(i)) return;
      const auto psi_at = [&](int m) {
        return layer.contains(i + m) ? shared.psi[R + i + m - layer.begin][row] : 0;
      };
      u_next[i] = corrected(u_next[i], v2dt2[i], slope(pass, psi_at));
    });
    block.sync();
    for_each_value(pass, layer, block.thread().x, rows, [&](int at_row, int column, std::int64_t at) {
      if (layer.corrects(first + column)) pass.u_next[corner + at] = shared.u_next[at_row][column];
    });
  }

 private:
  /// Calls work(row, column, index from the corner on) for the values of the tile that a thread moves, and so
  /// many columns around it.
  template <int Around = 0, class Pass, class Work>
  MINIMOD_INLINE static MINIMOD_HD void for_each_value(const Pass& pass, const CpmlLayer& layer, int thread,
                                                       int rows, const Work& work) {
    const int columns = end_column(layer) - first_column(pass, layer);
    for (int column = thread % sector - Around; column < columns + Around; column += sector) {
#pragma unroll
      for (int row = thread / sector; row < Rows; row += threads.x / sector) {
        if (row < rows) work(row, column, column + row * pass.layout.stride_y);
      }
    }
  }

  /// Calls work(k, i) for the points i of the layer that a thread has, of which i is the k-th.
  template <class Work>
  MINIMOD_INLINE static MINIMOD_HD void for_each_point(const CpmlLayer& layer, int mine, const Work& work) {
#pragma unroll
    for (int k = 0; k < points; ++k) {
      const int i = layer.begin + mine + k * threads_a_row;
      if (i < layer.end) work(k, i);
    }
  }

  /// Calls work(i) for those of the R points on either side of the layer that a thread has.
  template <class Work>
  MINIMOD_INLINE static MINIMOD_HD void for_each_beside(const CpmlLayer& layer, int mine, const Work& work) {
    for (int k = mine; k < R; k += threads_a_row) {
      work(layer.begin - R + k);
      work(layer.end + k);
    }
  }
};

}  // namespace minimod
