/// Family `smem_partial`: 2.5-D streaming along z with the plane of the centre only partly in shared memory:
/// its tile and the halos along y, which whole rows of threads fetch. The halos along x, whose few points in
/// each row would split the warps, are read from global memory, where neighbouring threads have just put them
/// into L1. A point of the wave equation costs 2R + 1 loads of u and its share of the y halo, 2R shared reads
/// and two barriers; Dx (Dy+2R) values of shared memory. Itu et al., "GPU Optimized Computation of Stencil
/// Based Algorithms" (2011), there in 2-D, here on the planes of a stream.
#pragma once

#include "kernels/shapes/streaming.hpp"
#include "kernels/shapes/z_column.hpp"

namespace minimod {

template <class Equation, int Dx, int Dy>
struct SmemPartial : ShapeDefaults {
  static_assert(updates_all<Equation>);
  using LaneType = Lane<Dx, Dy, farthest_in_plane<Equation>>;

  static constexpr const char* family = "smem_partial";
  static constexpr FamilyNames names{{"smem_partial", "partial_shared"}};
  static constexpr const char* summary =
      "2.5-D streaming, y halos in shared memory, x halos from global memory";
  static constexpr bool takes_any_equation = true;
  static constexpr Extent3 tile{Dx, Dy, 0};
  static constexpr Extent3 default_tile{32, 16, 0};
  static constexpr Extent3 threads{Dx, Dy, 1};

  /// The rows of the tile and of its halos along y.
  template <int Array>
  struct Rows {
    static constexpr Reach reach = Equation::reach(Array);
    static_assert(Dy >= reach.lower.y && Dy >= reach.upper.y && reach.upper.y + 1 >= reach.lower.y,
                  "the first rows of threads, which have points of their own, fetch both halos");
    ValueOf<Equation, Array> row[Dy - 1 + depth_y(reach)][Dx];
  };
  struct Shared : PartsOf<Rows, typename Equation::BesideInPlane> {};

  template <int Array>
  struct Column {
    ShiftingColumn<ValueOf<Equation, Array>, Equation::reach(Array).lower.z, Equation::reach(Array).upper.z>
        column;
  };
  using Columns = PartsOf<Column, typename Equation::Beside>;

  static constexpr bool stages(Reach reach) { return is_beside_in_plane(reach); }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return Extent3{of.tile.x, of.tile.y - 1 + depth_y(reach), 1}.points();
  }
  /// The first rows of threads fetch both halos.
  static constexpr Refusal refusal(const ShapeParameters& of, int radius) {
    return why_too_short(of, {0, radius, 0});
  }

  /// Along z from the column, along y from the rows, all others from memory.
  template <class Block>
  struct Point : OwnPoint<Equation, Block> {
    const Pointers<Equation>& from;
    Shared& shared;
    Columns& columns;
    Index3 t;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr Reach reach = Equation::reach(Array);
      if constexpr (!is_beside(reach)) {
        return OwnPoint<Equation, Block>::template load<Array>();
      } else {
        if (x == 0 && y == 0) return static_cast<Column<Array>&>(columns).column.at(0, z);
        if constexpr (is_beside_in_plane(reach)) {
          if (x == 0 && z == 0) return static_cast<Rows<Array>&>(shared).row[t.y + reach.lower.y + y][t.x];
        }
        return from.template value<Array>(this->memory, x, y, z);
      }
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared& shared) const {
    const Memory<Equation, Block> memory{args, block};
    const Box3& box = args.box;
    const auto lane = LaneType::of(block, box);
    const std::int64_t stride_z = args.layout.stride_z;
    Pointers<Equation> from(memory, lane.p);
    Columns columns;
    /// Calls body.operator()<Array>(column, from) for each array that has values here which are needed:
    /// beyond the box's end along x nobody needs any.
    const auto for_columns = [&](const auto& body) {
      for_each(typename Equation::Beside{}, [&]<int Array>() {
        if (!lane.template fetches<0, Equation::reach(Array).upper.y>()) return;
        body.template operator()<Array>(static_cast<Column<Array>&>(columns).column,
                                        static_cast<const PointerOf<Equation, Array>&>(from).at);
      });
    };
    for_columns([&]<int Array>(auto& column, const auto* at) {
      constexpr Reach reach = Equation::reach(Array);
#pragma unroll
      for (int m = -reach.lower.z; m < reach.upper.z; ++m) {
        column.at(0, m + 1) = memory.value_in(at, m * stride_z);  // as before the first push
      }
    });
    for (int z = box.begin.z; z < box.end.z; ++z) {
      for_columns([&]<int Array>(auto& column, const auto* at) {
        constexpr Reach reach = Equation::reach(Array);
        column.push(0, memory.value_in(at, reach.upper.z * stride_z));
        if constexpr (is_beside_in_plane(reach)) {
          const std::int64_t stride_y = args.layout.stride_y;
          auto& row = static_cast<Rows<Array>&>(shared).row;
          row[lane.t.y + reach.lower.y][lane.t.x] = column.at(0, 0);
          if (lane.t.y < reach.lower.y) {
            row[lane.t.y][lane.t.x] = memory.value_in(at, -reach.lower.y * stride_y);
          }
          if (lane.t.y < reach.upper.y && lane.template fetches<0, reach.upper.y>(0, Dy)) {
            row[lane.t.y + reach.lower.y + Dy][lane.t.x] = memory.value_in(at, Dy * stride_y);
          }
        }
      });
      if constexpr (!std::is_empty_v<Shared>) block.sync();
      if (lane.computes()) {
        const Index3 p{lane.p.x, lane.p.y, z};
        compute_point<Equation>(block, Point<Block>{{memory, p}, from, shared, columns, lane.t});
      }
      if constexpr (!std::is_empty_v<Shared>) block.sync();
      from.move_on(stride_z);
    }
  }
};

}  // namespace minimod
