/// Family `forward_plane`, and `register_tiled` where no corner off the plane is read: a 2-D block marches
/// along z with the plane of its points in shared memory and the values above and below them in registers,
/// which move on by one with every plane. Two barriers a plane. Nguyen et al. (SC 2010) and, as what they
/// compare with, Tang et al. (2013).
///
/// A thread has PX x PY points of the tile, which is block size different from block dimension as Zhang and
/// Mueller (CGO 2012) have it.
#pragma once

#include "kernels/stencil_shapes/arrays.hpp"

namespace minimod::stencil {

template <class Equations, int W, int H, int PX, int PY>
struct PlaneAndColumns : ShapeDefaults {
  static constexpr int TX = W / PX, TY = H / PY;
  static constexpr Extent3 tile{W, H, 0}, threads{TX, TY, 1};

  template <int Array>
  struct Plane {
    static constexpr Reach reach = Equations::reach(Array);
    static constexpr int width = W - 1 + depth_x(reach), height = H - 1 + depth_y(reach);
    ValueOf<Equations, Array> value[height][width];
  };
  struct Shared : PartsOf<Plane, typename Equations::BesideInPlane> {};

  /// The values of a point along z, of the plane -lower.z first.
  template <int Array>
  struct Column {
    ValueOf<Equations, Array> value[depth_z(Equations::reach(Array))];
  };
  using Columns = PartsOf<Column, typename Equations::Beside>;

  static MINIMOD_HD Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }

  template <class Block>
  struct Point : OwnPoint<Equations, Block> {
    const Shared& shared;
    const Columns& columns;
    int i, j;
    /// No corner off the plane: either z or x and y are 0.
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equations::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr Reach reach = Equations::reach(Array);
      if constexpr (!is_beside(reach)) {
        return OwnPoint<Equations, Block>::template load<Array>();
      } else if constexpr (!is_beside_in_plane(reach)) {
        return static_cast<const Column<Array>&>(columns).value[z + reach.lower.z];
      } else {
        if (x == 0 && y == 0) return static_cast<const Column<Array>&>(columns).value[z + reach.lower.z];
        return static_cast<const Plane<Array>&>(shared).value[j + y + reach.lower.y][i + x + reach.lower.x];
      }
    }
  };

  /// Brings the halo of a plane: the rows before the tile and behind it, whole, and both ends of its rows.
  template <int Array, class Block>
  static MINIMOD_HD void bring_halo(const Memory<Equations, Block>& memory, Shared& shared, Index3 first) {
    using Its = Plane<Array>;
    constexpr Reach reach = Its::reach;
    constexpr int ends = Its::width - W, rows = (Its::height - H) * Its::width;
    const Index3 end = memory.args.box.end, t = memory.block.thread();
    const Index3 from{first.x - reach.lower.x, first.y - reach.lower.y, first.z};
    const int width = end.x + reach.upper.x - from.x, height = end.y + reach.upper.y - from.y;
#pragma unroll 4
    for (int k = t.x + TX * t.y; k < rows + ends * H; k += TX * TY) {
      int x = k % Its::width, y = k / Its::width;
      if (k < rows) {
        y += y < reach.lower.y ? 0 : H;
      } else {
        constexpr int divisor = ends > 0 ? ends : 1;  // without ends, no such k
        x = (k - rows) % divisor;
        x += x < reach.lower.x ? 0 : W;
        y = reach.lower.y + (k - rows) / divisor;
      }
      if (x < width && y < height) {
        static_cast<Its&>(shared).value[y][x] =
            memory.template value_at<Array>({from.x + x, from.y + y, from.z});
      }
    }
  }

  /// Whether the array has the point, which may stand outside the box.
  template <int Array>
  static MINIMOD_HD bool has(const typename Equations::Args& args, Index3 p) {
    constexpr Reach reach = Equations::reach(Array);
    return p.x < args.box.end.x + reach.upper.x && p.y < args.box.end.y + reach.upper.y;
  }

  /// The columns of a thread before its first plane.
  template <class Block>
  static MINIMOD_HD void begin(const Memory<Equations, Block>& memory, Columns (&columns)[PY][PX],
                               Index3 first) {
    for_points_of_thread<PX, PY, TX, TY>(first, memory.block.thread(), [&](int a, int b, Index3 p) {
      for_each(typename Equations::Beside{}, [&]<int Array>() {
        constexpr Reach reach = Equations::reach(Array);
        if (!has<Array>(memory.args, p)) return;
        auto& column = static_cast<Column<Array>&>(columns[b][a]).value;
#pragma unroll
        for (int m = 1; m < depth_z(reach); ++m) {
          column[m] = memory.template value_at<Array>({p.x, p.y, p.z + m - 1 - reach.lower.z});
        }
      });
    });
  }

  /// The plane of `first` comes.
  template <class Block>
  static MINIMOD_HD void move_on(const Memory<Equations, Block>& memory, Columns (&columns)[PY][PX],
                                 Shared& shared, Index3 first) {
    for_points_of_thread<PX, PY, TX, TY>(first, memory.block.thread(), [&](int a, int b, Index3 p) {
      for_each(typename Equations::Beside{}, [&]<int Array>() {
        constexpr Reach reach = Equations::reach(Array);
        if (!has<Array>(memory.args, p)) return;
        auto& column = static_cast<Column<Array>&>(columns[b][a]).value;
#pragma unroll
        for (int m = 1; m < depth_z(reach); ++m) column[m - 1] = column[m];
        column[depth_z(reach) - 1] = memory.template value_at<Array>({p.x, p.y, p.z + reach.upper.z});
        if constexpr (is_beside_in_plane(reach)) {
          static_cast<Plane<Array>&>(shared)
              .value[p.y - first.y + reach.lower.y][p.x - first.x + reach.lower.x] = column[reach.lower.z];
        }
      });
    });
    for_each(typename Equations::BesideInPlane{},
             [&]<int Array>() { bring_halo<Array>(memory, shared, first); });
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equations::Args& args, Shared& shared) const {
    const Memory<Equations, Block> memory{args, block};
    Index3 first = tile_point(args.box.begin, tile, block.index(), {0, 0, 0});
    Columns columns[PY][PX];
    begin(memory, columns, first);
    for (; first.z < args.box.end.z; ++first.z) {
      move_on(memory, columns, shared, first);
      if constexpr (!std::is_empty_v<Shared>) block.sync();
      for_points_of_thread<PX, PY, TX, TY>(first, block.thread(), [&](int a, int b, Index3 p) {
        if (!args.box.contains(p)) return;
        Equations::compute(Point<Block>{{memory, p}, shared, columns[b][a], p.x - first.x, p.y - first.y});
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
    }
  }
};

}  // namespace minimod::stencil
