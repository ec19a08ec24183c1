/// Tiles of `tma_ring` of any equation: rings of planes in shared memory, one an array, and the points that
/// their threads see in them.
#pragma once

#include "kernels/equation.hpp"
#include "kernels/shapes/z_column.hpp"
#include "kernels/update.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

template <class... Lists>
struct JoinedLists;
template <int... First, int... Second, int... Third>
struct JoinedLists<ArrayList<First...>, ArrayList<Second...>, ArrayList<Third...>> {
  using List = ArrayList<First..., Second..., Third...>;
};

/// Arrays that stand in rings: all inputs.
template <class Equation>
using ArraysInRings = typename JoinedLists<
    typename Equation::Beside, typename Equation::AtPoint,
    std::conditional_t<Equation::damps, typename Equation::Elsewhere, ArrayList<>>>::List;

/// The ring of an array that is read so far: the planes from that of the point on where it is read beside it
/// in its plane, else the last one, and those on their way. (A thread keeps its column of an array that is
/// read along z.) Rows begin and end with whole vectors, as the copy engine asks for, and planes stand on 128
/// B.
struct RingExtents {
  Reach halo;  ///< halo of its planes
  int width, height, depth, value_bytes;

  constexpr RingExtents(Reach reach, Extent3 tile, int ahead, int bytes)
      : halo(reach),
        height(tile.y - 1 + depth_y(reach)),
        depth((is_beside_in_plane(reach) ? reach.upper.z : 0) + 1 + ahead),
        value_bytes(bytes) {
    halo.lower.x = round_up(reach.lower.x, vector_alignment);
    halo.upper.x = round_up(reach.upper.x, vector_alignment);
    width = tile.x - 1 + depth_x(halo);
  }
  /// Bytes that a copy of a plane brings.
  [[nodiscard]] constexpr int copied() const { return width * height * value_bytes; }
  [[nodiscard]] constexpr int bytes() const { return round_up(copied(), 128) * depth; }
};

/// Points of a tile along x and y, points of a thread side by side and in rows, planes that are on their way
/// while one is computed.
struct EquationRingShape {
  int width = 0, height = 0, lanes = 0, rows = 0, ahead = 0;
  [[nodiscard]] constexpr Extent3 tile() const { return {width, height, 0}; }
  [[nodiscard]] constexpr int consumers() const { return width / lanes * (height / rows); }
  [[nodiscard]] constexpr int threads() const { return consumers() + producers; }
  /// Registers of a thread that computes, in eights.
  [[nodiscard]] constexpr int registers() const {
    return (65536 - producers * registers_to_load) / consumers() / 8 * 8;
  }
  static constexpr int producers = 128;  ///< registers move by 128 threads
  static constexpr int registers_to_load = 40;
};

/// Bytes that the rings of an equation take.
template <class Equation, int... Array>
constexpr int bytes_of_rings(ArrayList<Array...>, EquationRingShape shape) {
  return (RingExtents(Equation::reach(Array), shape.tile(), shape.ahead, sizeof(ValueOf<Equation, Array>))
              .bytes() +
          ...);
}
template <class Equation>
constexpr int bytes_of_rings(EquationRingShape shape) {
  return bytes_of_rings<Equation>(ArraysInRings<Equation>{}, shape);
}

/// Registers in which a thread keeps columns of arrays that its points read in their plane, too. What they
/// read there takes about as many again.
template <class Equation, int... Array>
constexpr int registers_of_columns(ArrayList<Array...>, EquationRingShape shape) {
  const auto of = [&](Reach reach, std::size_t bytes) {
    const bool is_column = is_beside_in_plane(reach) && depth_z(reach) > 1;
    return is_column ? depth_z(reach) * shape.lanes * shape.rows * static_cast<int>(bytes / 4) : 0;
  };
  return (of(Equation::reach(Array), sizeof(ValueOf<Equation, Array>)) + ...);
}

/// Whether a block has the memory for its rings and barriers, and threads have the registers: beyond three
/// eighths of them columns spill.
template <class Equation>
constexpr bool fits_block(EquationRingShape shape) {
  return bytes_of_rings<Equation>(shape) <= 227 * 1024 - 128 &&
         8 * registers_of_columns<Equation>(ArraysInRings<Equation>{}, shape) <= 3 * shape.registers();
}

/// The fastest shape that fits, for a box of so many points along x. In a layer warps wait for planes more
/// than for room to compute: their tiles are smaller, and more planes are on their way. Slabs across x fill
/// rows of 32 points.
template <class Equation>
constexpr EquationRingShape equation_ring_shape(int box_width) {
  EquationRingShape shape;
  const auto take = [&](EquationRingShape tile, int most_ahead, int least_ahead) {
    for (tile.ahead = most_ahead; shape.width == 0 && tile.ahead >= least_ahead; --tile.ahead) {
      if (fits_block<Equation>(tile)) shape = tile;
    }
  };
  if (!Equation::damps) {
    take({128, 16, 4, 2}, 2, 2);
    take({64, 24, 4, 1}, 2, 2);
    take({32, 48, 4, 1}, 2, 2);
  } else if (box_width > 32) {
    take({64, 16, 4, 1}, 4, 3);
  }
  take({32, 32, 4, 1}, 4, 2);
  take({32, 16, 2, 1}, 4, 2);
  take({16, 16, 1, 1}, 4, 2);
  return shape;
}

/// Planes before and behind its own that a point reads of any array.
template <class Equation>
inline constexpr int more_planes_of = greatest<Equation>(ArraysInRings<Equation>{},
                                                         [](Reach reach) { return reach.lower.z; }) +
                                      greatest<Equation>(ArraysInRings<Equation>{},
                                                         [](Reach reach) { return reach.upper.z; });

template <class EquationType, int W, int H, int Lanes, int Rows, int Ahead>
struct EquationTile {
  using Equation = EquationType;
  using Real = typename Equation::Real;
  using Arrays = ArraysInRings<Equation>;
  static constexpr EquationRingShape shape{W, H, Lanes, Rows, Ahead};
  static constexpr int lanes = Lanes, rows = Rows, stages = Ahead + 1, threads_x = W / Lanes;
  static constexpr int consumers = shape.consumers(), threads = shape.threads();
  static constexpr int few = EquationRingShape::registers_to_load, many = shape.registers();
  static constexpr int more_planes = more_planes_of<Equation>;

  template <int Array>
  struct Ring {
    using Value = ValueOf<Equation, Array>;
    static constexpr RingExtents extents{Equation::reach(Array), {W, H, 0}, Ahead, sizeof(Value)};
    struct alignas(128) Plane {
      Value value[extents.height][extents.width];
    };
    Plane plane[extents.depth];
    /// Steps of a tile that pass before its first plane is brought.
    static constexpr int begins = more_planes - (extents.halo.lower.z + extents.halo.upper.z);
  };
  struct Shared : PartsOf<Ring, Arrays> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD auto& ring() {
      return static_cast<Ring<Array>&>(*this);
    }
  };

  /// Own values of a thread's points in a row, of an array that is read along z: from the first plane to the
  /// last.
  template <int Array>
  struct Column {
    static constexpr Reach reach = Equation::reach(Array);
    static_assert(Equation::is_star(Array), "off the point's plane it has its column alone");
    using Values = Vector<ValueOf<Equation, Array>, Lanes>;
    ShiftingColumn<Values, reach.lower.z, reach.upper.z> values;
  };
  struct Columns : PartsOf<Column, Arrays> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD auto& of() {
      return static_cast<Column<Array>&>(*this).values;
    }
  };
  template <int Array>
  static constexpr bool has_column = depth_z(Equation::reach(Array)) > 1;

  /// The planes that came last, of each array.
  template <int Array>
  struct Slot {
    int newest = -1;
  };
  struct Slots : PartsOf<Slot, Arrays> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD int& of() {
      return static_cast<Slot<Array>&>(*this).newest;
    }
    /// Goes on to the plane that step k of a tile brings, and says whether it brings one.
    template <int Array>
    MINIMOD_HD bool advance(int k) {
      if (k < Ring<Array>::begins) return false;
      int& slot = of<Array>();
      slot = slot + 1 == Ring<Array>::extents.depth ? 0 : slot + 1;
      return true;
    }
  };

  /// Values side by side of a plane that came so many planes before the last, from a point of the tile on.
  template <int Array>
  static MINIMOD_HD auto vector_at(Shared& shared, Slots& slots, int planes_before, int column, int row) {
    constexpr RingExtents in = Ring<Array>::extents;
    int slot = slots.template of<Array>() - planes_before;
    slot = slot < 0 ? slot + in.depth : slot;
    const auto* const from =
        &shared.template ring<Array>().plane[slot].value[row + in.halo.lower.y][in.halo.lower.x + column];
    return *reinterpret_cast<const Vector<ValueOf<Equation, Array>, Lanes>*>(from);
  }
  /// Adds the planes that came last to the columns of the points from one of the tile on.
  static MINIMOD_HD void push(Columns& columns, Shared& shared, Slots& slots, int column, int row) {
    for_each(Arrays{}, [&]<int Array>() {
      if constexpr (has_column<Array>)
        columns.template of<Array>().push(0, vector_at<Array>(shared, slots, 0, column, row));
    });
  }

  /// Values of η that the points of a thread in a row keep while planes go by: of x and y, and differences.
  struct EtaOfRow {
    Real across[Lanes], dx[Lanes], dy;
    EtaOfRow() = default;
    /// Points beyond the box have those of the nearest in it.
    MINIMOD_HD EtaOfRow(const typename Equation::Args& args, const Index3& p) {
      const Box3& box = args.box;
      const int y = nearest_in(p.y, box.begin.y, box.end.y);
      dy = args.eta_y[y + 1] - args.eta_y[y - 1];
      MINIMOD_UNROLL
      for (int lane = 0; lane < Lanes; ++lane) {
        const int x = nearest_in(p.x + lane, box.begin.x, box.end.x);
        across[lane] = args.eta_x[x] + args.eta_y[y];
        dx[lane] = args.eta_x[x + 1] - args.eta_x[x - 1];
      }
    }
  };

  /// Point number Lane of those that a thread has side by side in a row of its tile.
  template <int Lane>
  struct Point {
    const typename Equation::Args& arguments;
    const EtaOfRow& eta_of_row;
    Shared& shared;
    Slots& slots;
    Columns& columns;
    Index3 p;
    int column, row;  ///< place of the first of them in the tile
    Results<Equation, Lanes>& results;

    [[nodiscard]] MINIMOD_HD const typename Equation::Args& args() const { return arguments; }
    [[nodiscard]] MINIMOD_HD const Index3& at() const { return p; }
    [[nodiscard]] MINIMOD_HD EtaValues<Real> eta() const {
      const Real* const along_z = arguments.eta_z + p.z;
      return {eta_of_row.across[Lane] + along_z[0], eta_of_row.dx[Lane], eta_of_row.dy,
              along_z[1] - along_z[-1]};
    }
    [[nodiscard]] MINIMOD_HD const Point& place() const { return *this; }
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real load(int x = 0, int y = 0, int z = 0) const {
      static_assert(Arrays::has(Array));
      const int first = first_of_vector<Lanes>(Lane + x);
      if constexpr (has_column<Array>) {
        if (first == 0 && y == 0)
          return static_cast<Real>(columns.template of<Array>().at(0, z).value[Lane + x]);
      }
      constexpr int behind = is_beside_in_plane(Equation::reach(Array)) ? Equation::reach(Array).upper.z : 0;
      return static_cast<Real>(
          vector_at<Array>(shared, slots, behind, column + first, row + y).value[Lane + x - first]);
    }
    template <int Array>
    MINIMOD_HD void store(Real value) const {
      results.template of<Array>().value[Lane] = static_cast<ValueOf<Equation, Array>>(value);
    }
  };
};

}  // namespace minimod
