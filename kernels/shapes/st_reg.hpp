/// Families `st_reg_shft` (also spelt `st_reg_shift`; of specifications `forward_plane`) and `st_reg_fixed`:
/// 2.5-D streaming along z. A 2-D block marches down the box; of each array that is read beside the point in
/// its plane the current plane with its halo is staged in shared memory, and each thread holds its z column
/// in registers: they shift by one with every plane, or stay in place, in a loop that is unrolled as often as
/// there are, so that the register of a plane is known at compile time. A point of the wave equation costs
/// one load of u, its share of the halo, 4R shared reads, 2R register moves or none, and two barriers;
/// (Dx+2R)(Dy+2R) values of shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS
/// 2020), sections IV.6 and IV.7; the former as Nguyen et al. (SC 2010) have it and, as what they compare
/// with, Tang et al. (2013).
///
/// Families `st_reg_shft_db` and `st_reg_fixed_db`: the same with two shared planes. While a plane is
/// computed, the next one, tile and halo, arrives by asynchronous copies that take no registers: two loads of
/// u a point instead of one (the second from L1 or L2, where the column's load left it), but one barrier
/// instead of two, and no thread waits for the halo. 2 (Dx+2R)(Dy+2R) values of shared memory.
#pragma once

#include "kernels/shapes/xy_plane.hpp"
#include "kernels/shapes/z_column.hpp"

namespace minimod {

enum class Registers { shift, stay };

template <class Equation, Registers Move, int Planes, int W, int H, int PX, int PY>
struct StReg : ShapeDefaults {
  static_assert(updates_all<Equation>);
  using LaneType = Lane<W, H, farthest_in_plane<Equation>, PX, PY>;
  static constexpr int period = Move == Registers::stay ? deepest_along_z<Equation> : 1;

  static constexpr bool takes_any_equation = true, takes_corners_off_plane = false;
  static constexpr Extent3 tile{W, H, 0};
  static constexpr Extent3 threads{W / PX, H / PY, 1};

  template <int Array>
  struct Part {
    XyPlane<ValueOf<Equation, Array>, HaloOf<Equation, Array>, W, H, PX, PY> plane[Planes];
  };
  struct Shared : PartsOf<Part, typename Equation::BesideInPlane> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD auto& plane(int number) {
      return static_cast<Part<Array>&>(*this).plane[number & (Planes - 1)];
    }
  };
  static constexpr bool is_staged = !std::is_empty_v<Shared>;

  /// Registers that stay are as many as the loop is unrolled times; of arrays that are read less far, they
  /// shift.
  template <int Array>
  struct Column {
    static constexpr Reach reach = Equation::reach(Array);
    using Value = ValueOf<Equation, Array>;
    std::conditional_t<Move == Registers::stay && period % depth_z(reach) == 0,
                       FixedColumn<Value, reach.lower.z, reach.upper.z>,
                       ShiftingColumn<Value, reach.lower.z, reach.upper.z>>
        column;
  };
  struct Columns : PartsOf<Column, typename Equation::Beside> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD auto& of() {
      return static_cast<Column<Array>&>(*this).column;
    }
  };

  static constexpr const char* header = "st_reg.hpp";
  static constexpr bool stages(Reach reach) { return is_beside_in_plane(reach); }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return Planes * plane_values(of, reach);
  }

  /// In its plane from shared memory, along z from the column: no corner off the plane.
  template <class Block>
  struct Point : OwnPoint<Equation, Block> {
    Shared& shared;
    Columns& columns;
    int step, phase, i, j;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      constexpr Reach reach = Equation::reach(Array);
      if constexpr (!is_beside(reach)) {
        return OwnPoint<Equation, Block>::template load<Array>();
      } else if constexpr (!is_beside_in_plane(reach)) {
        return columns.template of<Array>().at(phase, z);
      } else {
        if (x == 0 && y == 0) return columns.template of<Array>().at(phase, z);
        return shared.template plane<Array>(step).at(i + x, j + y);
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
    Columns columns[PY][PX];
    /// Calls body.operator()<Array>(column, from) for each point and array.
    const auto for_columns = [&](const auto& body) {
      for_points_of_lane<W / PX, H / PY, PX, PY>([&](int a, int b, int x, int y) {
        for_each(typename Equation::Beside{}, [&]<int Array>() {
          constexpr Index3 upper = Equation::reach(Array).upper;
          if (!lane.template fetches<upper.x, upper.y>(x, y)) return;
          const auto* const first = static_cast<const PointerOf<Equation, Array>&>(from).at;
          body.template operator()<Array>(columns[b][a].template of<Array>(),
                                          first + x + y * args.layout.stride_y);
        });
      });
    };
    /// Calls body.operator()<Array>(from) for each array with a plane.
    const auto for_planes = [&](const auto& body) {
      for_each(typename Equation::BesideInPlane{}, [&]<int Array>() {
        body.template operator()<Array>(static_cast<const PointerOf<Equation, Array>&>(from).at);
      });
    };
    const auto copy_plane = [&](int step, int ahead) {
      for_planes([&]<int Array>(const auto* first) {
        shared.template plane<Array>(step + ahead)
            .fill(lane, first + ahead * args.layout.stride_z, args.layout.stride_y,
                  [&](auto* to, const auto* value) { block.copy_async(to, value); });
      });
      block.commit();
    };
    const auto fill_plane = [&](int phase) {
      for_planes([&]<int Array>(const auto* first) {
        shared.template plane<Array>(0).fill(
            lane, first, args.layout.stride_y,
            [&](auto* to, const auto*, int a, int b) {
              *to = columns[b][a].template of<Array>().at(phase, 0);
            },
            [&](auto* to, const auto* value) { *to = memory.value_in(value, 0); });
      });
    };

    for_columns([&]<int Array>(auto& column, const auto* at) {
      constexpr Reach reach = Equation::reach(Array);
#pragma unroll
      for (int m = -reach.lower.z; m < reach.upper.z; ++m) {
        column.at(-1, m + 1) = memory.value_in(at, m * stride_z);  // as before the first push
      }
    });
    if constexpr (Planes > 1) copy_plane(0, 0);

    march<period>(box.begin.z, box.end.z, [&](int z, int phase) {
      for_columns([&]<int Array>(auto& column, const auto* at) {
        column.push(phase, memory.value_in(at, Equation::reach(Array).upper.z * stride_z));
      });
      const int step = z - box.begin.z;
      if constexpr (Planes > 1) {
        block.template wait<0>();
        block.sync();
        if (z + 1 < box.end.z) copy_plane(step, 1);
      } else {
        fill_plane(phase);
        if constexpr (is_staged) block.sync();
      }
      for_points_of_lane<W / PX, H / PY, PX, PY>([&](int a, int b, int x, int y) {
        if (!lane.computes(x, y)) return;
        const Index3 p{lane.p.x + x, lane.p.y + y, z};
        compute_point<Equation>(
            block, Point<Block>{{memory, p}, shared, columns[b][a], step, phase, lane.t.x + x, lane.t.y + y});
      });
      if constexpr (Planes == 1 && is_staged) block.sync();
      from.move_on(stride_z);
    });
  }
};

template <class Equation, int Dx, int Dy, int PX = 1, int PY = 1>
struct StRegShft : StReg<Equation, Registers::shift, 1, Dx, Dy, PX, PY> {
  static constexpr const char* family = "st_reg_shft";
  static constexpr FamilyNames names{{"st_reg_shft", "st_reg_shift", "forward_plane"}};
  static constexpr const char* summary =
      "2.5-D streaming, one plane in shared memory, z column in shifting registers";
  static constexpr Extent3 default_tile{32, 16, 0};  // fastest of the family on a V100 (Table II)
};

template <class Equation, int Dx, int Dy>
struct StRegShftDb : StReg<Equation, Registers::shift, 2, Dx, Dy, 1, 1> {
  static constexpr const char* family = "st_reg_shft_db";
  static constexpr const char* summary =
      "2.5-D streaming, two shared planes filled asynchronously, z column in shifting registers";
  static constexpr Extent3 default_tile{32, 16, 0};
};

template <class Equation, int Dx, int Dy>
struct StRegFixed : StReg<Equation, Registers::stay, 1, Dx, Dy, 1, 1> {
  static constexpr const char* family = "st_reg_fixed";
  static constexpr const char* summary =
      "2.5-D streaming, one plane in shared memory, z column in fixed registers";
  static constexpr Extent3 default_tile{32, 32, 0};  // fastest of the family on a V100 (Table II)
};

template <class Equation, int Dx, int Dy>
struct StRegFixedDb : StReg<Equation, Registers::stay, 2, Dx, Dy, 1, 1> {
  static constexpr const char* family = "st_reg_fixed_db";
  static constexpr const char* summary =
      "2.5-D streaming, two shared planes filled asynchronously, z column in fixed registers";
  static constexpr Extent3 default_tile{32, 32, 0};
};

}  // namespace minimod
