/// Tiles of code shapes, and how they cover a box. A shape is a struct template over the equation, with
///   family, summary   names, one line each
///   tile, threads     points of a tile and threads of a block
///   default_tile      the bare family name stands for the first shape of the list with that tile
///   what it says otherwise than ShapeDefaults, which it inherits: needs, what `tune` goes by, and what
///                     blocks of any tile take of a GPU, or which tiles it cannot have
///   Shared            the block's shared memory
///   blocks(box)       blocks of a launch over a box, where others than those that cover it
///   operator()(block, args, shared)   what one thread does.
/// `Block` gives `thread()`, `index()` (of the block), `sync()` (a barrier for all threads of the block,
/// which none may have left), `read(global)` (values side by side, at once), `read_only(global)` (the same of
/// what no thread of the launch writes), and asynchronous copies: `copy_async(shared, global)` starts one,
/// `commit()` closes a group of this thread's copies, `wait<N>()` returns when at most its N latest groups
/// are on their way. Until then the target holds nothing; other threads see it after a barrier behind the
/// wait.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

inline constexpr int vector_default = 4;

/// Parts of a name behind its family.
enum class TileForm {
  plane,           ///< <Dx>x<Dy>
  volume,          ///< <Dx>x<Dy>x<Dz>
  register_tiles,  ///< <W>x<H>_r<RX>x<RY>[_v<V>]
};

/// Widths of a family's vectors; where there are several, names end with `_v<width>` for all but one.
struct VectorWidths {
  int unnamed = vector_default;     ///< width where the name says none
  int tried[3] = {vector_default};  ///< by a search; zeros end the list
  [[nodiscard]] constexpr bool are_named() const { return tried[1] != 0; }
};
inline constexpr VectorWidths vectors_of_2_or_4{4, {2, 4}}, single_values{1, {1}},
    values_or_vectors{1, {1, 2, 4}};

/// Why a family cannot have a tile: a sentence, perhaps with one number (`behind` is null then) or two in it;
/// without one it can.
struct Refusal {
  const char* before = nullptr;
  int number = 0;
  const char* between = nullptr;
  int other = 0;
  const char* behind = "";
  constexpr explicit operator bool() const { return before != nullptr; }
};

/// Floating-point operations a point beyond those of the formula as `evaluate` and the updates write it.
struct ExtraWork {
  int flop = 0;
  const char* why = "";  ///< empty: none, and the counted operations must be the formula's
};

/// Numbers that tell the shapes of a family apart.
struct ShapeParameters {
  Extent3 tile;                       ///< points that a block works on; z = 0: it streams along z
  Extent3 points_per_thread{};        ///< x = 0: of families whose names do not say it
  int vector_width = vector_default;  ///< values of a vector load
};

/// How far beside a point an array is read, on the lower and the upper side of each axis.
struct Reach {
  Index3 lower, upper;
};
/// Points that are read along an axis.
MINIMOD_HD constexpr int depth_x(Reach reach) {
  return reach.lower.x + reach.upper.x + 1;
}
MINIMOD_HD constexpr int depth_y(Reach reach) {
  return reach.lower.y + reach.upper.y + 1;
}
MINIMOD_HD constexpr int depth_z(Reach reach) {
  return reach.lower.z + reach.upper.z + 1;
}

MINIMOD_HD constexpr bool is_beside(Reach reach) {
  return depth_x(reach) * depth_y(reach) * depth_z(reach) > 1;
}
MINIMOD_HD constexpr bool is_beside_in_plane(Reach reach) {
  return depth_x(reach) * depth_y(reach) > 1;
}

/// Values in shared memory: of the plane of a tile with the halo of an array, and of the tile.
constexpr std::int64_t plane_values(const ShapeParameters& of, Reach reach) {
  return Extent3{of.tile.x - 1 + depth_x(reach), of.tile.y - 1 + depth_y(reach), 1}.points();
}
constexpr std::int64_t tile_values(const ShapeParameters& of, Reach reach) {
  return plane_values(of, reach) * (of.tile.z - 1 + depth_z(reach));
}

/// A tile that is shorter along an axis.
constexpr Refusal why_too_short(const ShapeParameters& of, Extent3 least) {
  const auto axis = [](int extent, int limit, const char* between) {
    return extent < limit ? Refusal{"its tile is ", extent, between, limit} : Refusal{};
  };
  if (const Refusal x = axis(of.tile.x, least.x, " long along x, at least ")) return x;
  if (const Refusal y = axis(of.tile.y, least.y, " long along y, at least ")) return y;
  return axis(of.tile.z, least.z, " long along z, at least ");
}
/// Points of a thread whose values are more than its registers, and take compilers minutes.
constexpr Refusal why_too_many_points(int points) {
  constexpr int most = 32;
  return points > most ? Refusal{"a thread has ", points, " points, at most ", most} : Refusal{};
}
constexpr Refusal why_no_vector(int width) {
  if (width == 1 || width == 2 || width == 4) return {};
  return {"its vectors have ", width, " values, 1, 2 or ", 4, " may be"};
}
constexpr Refusal why_no_whole_vectors(const ShapeParameters& of) {
  const int width = of.vector_width;
  if (const Refusal why = why_no_vector(width)) return why;
  if (of.tile.x % width == 0) return {};
  return {"its tile is no multiple of ", width, " values along x", 0, nullptr};
}
/// Register tiles that threads do not share.
constexpr Refusal why_no_register_tiles(const ShapeParameters& of) {
  const Extent3 points = of.points_per_thread;
  if (of.tile.x % points.x != 0 || of.tile.y % points.y != 0) {
    return {"its tile is no multiple of ", points.x, "x", points.y, " points a thread"};
  }
  return why_too_many_points(points.x * points.y);
}

/// Differences between the kernels of a shape, beside its tile.
struct KernelKind {
  bool damps = false;
  int radius = stencil_radius;
  Precision precision = Precision::float32;
};

// Threads of a block of such a kernel.
constexpr Extent3 thread_a_point(const ShapeParameters& of, KernelKind) {
  return of.tile;
}
constexpr Extent3 thread_a_column(const ShapeParameters& of, KernelKind) {
  return {of.tile.x, of.tile.y, 1};
}
constexpr Extent3 thread_a_register_tile(const ShapeParameters& of, KernelKind) {
  return {of.tile.x / of.points_per_thread.x, of.tile.y / of.points_per_thread.y, 1};
}

/// Extents that a search makes tiles of, in place of those of the family's form; zeros end a list.
struct TriedTiles {
  int x[8] = {}, y[8] = {}, z[8] = {};
  bool is_cube = false;  ///< y and z are x
};

/// Values in the plane of a tile and its halo, without the corners that no star reads.
MINIMOD_HD constexpr double plane_with_star(Extent3 tile, int radius) {
  return (tile.x + 2.0 * radius) * (tile.y + 2.0 * radius) - 4.0 * radius * radius;
}

/// Names that papers give to what a family is, its own among them; all of them are read.
struct FamilyNames {
  const char* all[3] = {};
};

/// Facts that most shapes share.
struct ShapeDefaults {
  static constexpr FamilyNames names{};
  /// Where a thread has a tile of points, which goes into the name as `_r<x>x<y>`.
  static constexpr Extent3 points_per_thread{0, 0, 0};
  static constexpr int vector_width =
      vector_default;  ///< values of a vector load; another goes into the name, `_v<width>`
  static constexpr ExtraWork extra_work{};
  /// Name of its order of sums: shapes of one name give the same bits. Empty: those of each tile are its own.
  static constexpr const char* sums = "star";
  static constexpr bool needs_eta_field = false;         ///< the PML kernel reads the 3-D array of eta
  static constexpr bool needs_v16 = false;               ///< the inner kernel reads codes of (V Δt)²
  static constexpr bool takes_any_equation = false;      ///< not the wave's star alone
  static constexpr bool takes_corners_off_plane = true;  ///< arrays read at points off the axes and the plane
  static constexpr bool needs_sums_by_plane = false;     ///< asks sums by plane of the equation: in_plane.hpp
  static constexpr int colours = 1;                      ///< colours of points, each with a launch of its own
  static constexpr int blocks_per_multiprocessor =
      0;  ///< blocks that should fit, which bounds the registers; 0: no bound

  // Facts of any tile of the family: what its blocks take of a GPU, which tiles it cannot have.
  static constexpr const char* header = nullptr;  ///< file with the template; null: that of its name
  static constexpr VectorWidths vectors{};
  static constexpr bool is_plane = false;  ///< names say no extent along z, which is 1
  /// Points before the box with which its first tile may begin along x.
  static constexpr int points_before = 0;
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind kernel) {
    return of.points_per_thread.x > 0 ? thread_a_register_tile(of, kernel)
           : of.tile.z == 0           ? thread_a_column(of, kernel)
                                      : thread_a_point(of, kernel);
  }
  /// Whether arrays that are read so far stand in shared memory, of those read beside the point.
  static constexpr bool stages(Reach reach) { return is_beside(reach); }
  /// Values in the shared memory of a block, of the kernel that takes more, for an array that is read so far.
  static constexpr std::int64_t shared_values(const ShapeParameters&, Reach) { return 0; }
  static constexpr Refusal refusal(const ShapeParameters&, int /*radius*/) { return {}; }

  // For the search and for the model of its speed.
  static constexpr TriedTiles tried{};
  static constexpr bool marches_slices = false;  ///< a tile's extent along z, plane by plane
  /// Loads of u for a point from memory, or from what its block shares.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters& of, int radius) {
    return of.tile.z == 0 ? 4.0 * radius + 1 : 6.0 * radius + 1;  // streaming, z is the thread's own
  }
  /// Values of u that a block takes from memory for a tile, streaming for a plane of it, halo included.
  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    const double x = of.tile.x, y = of.tile.y, z = of.tile.z;
    return of.tile.z == 0 ? plane_with_star(of.tile, radius)
                          : x * y * z + 2 * radius * (x * y + y * z + x * z);
  }
  /// Operations of a point beyond the 7 R + 1 of the star.
  static MINIMOD_HD constexpr int more_operations(int) { return 0; }
};

/// Whether threads may have equal shares of a tile: along each axis a whole number of its points each. A tile
/// that streams along z has no extent there.
constexpr bool shares_tile(Extent3 tile, Extent3 threads) {
  const auto divides = [](int n, int d) { return d > 0 && n % d == 0; };
  return divides(tile.x, threads.x) && divides(tile.y, threads.y) && divides(tile.z, threads.z);
}

/// Fails to compile where a tiled shape's threads cannot be those of a block.
template <class Shape>
constexpr void check_threads() {
  static_assert(
      Shape::threads.points() >= 1 && Shape::threads.points() <= 1024,
      "a block has 1 to 1024 threads: look at the family's `threads`, or at the tile in shape_list.hpp");
  static_assert(
      shares_tile(Shape::tile, Shape::threads),
      "the tile is no multiple of the family's `threads` along x, y or z: some points would have none");
}

/// Tiles without an extent along z stream along it.
MINIMOD_HD constexpr Extent3 blocks_covering(Extent3 n, Extent3 tile) {
  return {ceil_div(n.x, tile.x), ceil_div(n.y, tile.y), tile.z > 0 ? ceil_div(n.z, tile.z) : 1};
}

/// Blocks of a launch of a shape over a box.
template <class Shape>
constexpr Extent3 launch_blocks(const Box3& box) {
  if constexpr (requires { Shape::blocks(box); }) {
    return Shape::blocks(box);
  } else {
    return blocks_covering(box.extent(), Shape::tile);
  }
}

/// The point of thread `t` in tile number `b` of the tiles that start at `begin`.
MINIMOD_HD constexpr Index3 tile_point(Index3 begin, Extent3 tile, Index3 b, Index3 t) {
  return {begin.x + b.x * tile.x + t.x, begin.y + b.y * tile.y + t.y, begin.z + b.z * tile.z + t.z};
}

}  // namespace minimod
