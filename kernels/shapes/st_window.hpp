/// Family `st_window`: 2.5-D streaming along slices of Dz planes with all 2R + 1 planes of a star in shared
/// memory, in a ring of planes that asynchronous copies of whole vectors fill two planes ahead. A thread
/// works on vectors of V = 4 points along x (2 in double: 16 B), in two neighbouring rows or in one
/// (window_rows); what it needs of the other fields it loads as vectors too, one plane ahead. In the PML it
/// keeps the profiles of its points in registers and works out what η makes of the formula only where η
/// changes from plane to plane, which it does in the two slabs across z.
///
/// Tiles begin on aligned vectors of the memory, wherever the box begins: points outside the box are
/// computed and not stored. The halo along x is whole vectors, H >= R values on either side. A vector of
/// points costs (Dx + 2H)(Dy + 2R) / (Dx Dy) vectors of u from global memory, for two rows 1 + R + 2R + 2H/V
/// vector reads of shared memory, and no barrier but one a plane. A ring of 2R + 3 planes of
/// (Dx + 2H)(Dy + 2R) values.
///
/// Our own; the shared planes are those of `st_smem` (Sai et al., PMBS 2020), the copies need sm_80.
#pragma once

#include "kernels/damping_of_points.hpp"
#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// The planes in shared memory: N of them, each a tile with its halo.
template <class Real, int Dx, int Dy, int R, int N>
struct PlaneRing {
  static constexpr int V = reals_of_vector<Real>, halo = ceil_div(R, V);  ///< vectors on either side
  static constexpr int row_vectors = Dx / V + 2 * halo, rows = Dy + 2 * R;
  using Values = Vector<Real, V>;
  Values plane[N][rows][row_vectors];
};

/// A thread's copies of every plane: up to `Count` vectors of the tile and its halo.
template <class Real, class Ring, int Threads>
struct PlaneCopies {
  static constexpr int V = Ring::V;
  static constexpr int vectors = Ring::row_vectors * Ring::rows, count = ceil_div(vectors, Threads);
  using Values = typename Ring::Values;
  const Values* from[count];  ///< in the plane that comes next
  int thread;
  unsigned needed = 0;  ///< bit k: copy k holds values that a star of the box needs

  /// `first`: the first vector of the tile's halo in that plane; `before_x`: values from there on that no
  /// star needs, whose vectors may stand before the storage; `reach_x`, `reach_y`: values and rows from there
  /// on that the box's stars reach.
  MINIMOD_HD PlaneCopies(const Real* first, std::int64_t stride_y, int before_x, int reach_x, int reach_y,
                         int number)
      : thread(number) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const int vector = thread + k * Threads;
      const int row = vector / Ring::row_vectors, column = vector % Ring::row_vectors;
      from[k] = reinterpret_cast<const Values*>(first + row * stride_y + V * column);
      const bool is_reached = row < Ring::rows && row < reach_y && V * column < reach_x;
      if (is_reached && V * (column + 1) > before_x) needed |= 1U << k;
    }
  }

  /// Starts the copies into a plane of the ring and moves on to the next plane of the field.
  template <class Block>
  MINIMOD_HD void start(const Block& block, Values* plane, std::int64_t stride_z) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if ((needed >> k & 1U) != 0) block.copy_async(plane + thread + k * Threads, from[k]);
      from[k] += stride_z / V;
    }
  }
};

/// The star of one lane of a vector, from values in registers.
template <class Real, int R>
struct VectorStar {
  static constexpr int V = reals_of_vector<Real>, halo = ceil_div(R, V);
  const Vector<Real, V>* row;     ///< the vectors left of, at, and right of the points
  const Vector<Real, V>* column;  ///< at the points; rows lie side by side
  const Vector<Real, V>* stack;   ///< 2R + 1 planes, those of the points in the middle
  int lane;
  MINIMOD_HD Real x(int m) const {
    const int place = V * halo + lane + m;
    return row[place / V].value[place % V];
  }
  MINIMOD_HD Real y(int m) const { return column[m].value[lane]; }
  MINIMOD_HD Real z(int m) const { return stack[R + m].value[lane]; }
};

/// The fields other than u at the vector of points from `p` on.
template <class Update>
struct FieldVectors {
  using Real = typename Update::Real;
  Vector<Real, reals_of_vector<Real>> u_next, v2dt2, phi;

  MINIMOD_HD void load(const typename Update::Args& args, Index3 p) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    u_next = vector_at(args.u_before, i);
    v2dt2 = vector_at(args.v2dt2, i);
    if constexpr (Update::damps) phi = vector_at(args.phi, args.phi_layout.index(p.x, p.y, p.z));
  }
  MINIMOD_HD void store(const typename Update::Args& args, Index3 p, unsigned lanes) const {
    store_lanes(args.u_next + args.layout.index(p.x, p.y, p.z), u_next, lanes);
    if constexpr (Update::damps) store_lanes(args.phi + args.phi_layout.index(p.x, p.y, p.z), phi, lanes);
  }
};

/// Rows of a thread. What a row keeps must fit its registers; and where planes are so large that few blocks
/// fit a multiprocessor, a block has more threads for it.
MINIMOD_HD constexpr int window_rows(KernelKind kernel) {
  const bool is_large = kernel.radius > 4 || kernel.precision == Precision::float64;
  return kernel.damps || is_large ? 1 : 2;
}

template <class Update, int Dx, int Dy, int Dz>
struct StWindow : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius, V = reals_of_vector<Real>;
  static constexpr KernelKind kind{Update::damps, R, V == 4 ? Precision::float32 : Precision::float64};
  static constexpr int rows = window_rows(kind);
  static constexpr int ahead = 2;  ///< planes on their way
  static constexpr int planes = 2 * R + 1 + ahead;
  static constexpr const char* family = "st_window";
  static constexpr const char* summary =
      "2.5-D streaming of vectors, a ring of planes in shared memory filled by asynchronous copies";
  static constexpr ExtraWork extra_work{0, "the PML's terms of eta are kept while eta stays the same"};
  static constexpr Extent3 tile{Dx, Dy, Dz};
  static constexpr Extent3 default_tile{32, 32, 64};
  static constexpr Extent3 threads{Dx / V, Dy / rows, 1};
  using Ring = PlaneRing<Real, Dx, Dy, R, planes>;
  using Values = typename Ring::Values;
  using Copies = PlaneCopies<Real, Ring, static_cast<int>(threads.points())>;
  struct Shared {
    Ring ring;
  };
  /// No more than shared memory holds, with 128 registers a thread at least: another bound takes registers
  /// for nothing, or makes them spill.
  static constexpr int blocks_per_multiprocessor = [] {
    constexpr std::size_t of_all = 228 << 10, of_system = 1 << 10;
    int blocks = Update::damps ? 2 : 3;
    while (blocks > 1 &&
           (blocks * (sizeof(Shared) + of_system) > of_all || blocks * threads.points() > 512)) {
      --blocks;
    }
    return blocks;
  }();

  static constexpr TriedTiles tried{{32, 64, 128}, {4, 8, 16, 32}, {16, 32, 64, 128}};
  static constexpr bool marches_slices = true;
  /// In single precision: 15 vectors from shared memory for one of four points at order 8.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters&, int radius) {
    const int rows_of_thread = window_rows({false, radius});
    return (1 + 2.0 * radius / rows_of_thread + 2 * radius + 2 * ceil_div(radius, 4)) / 4;
  }
  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    return plane_with_star(of.tile, radius);
  }

  static constexpr int points_before = 3;
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind kernel) {
    const int values = kernel.precision == Precision::float32 ? 4 : 2;
    return {of.tile.x / values, of.tile.y / window_rows(kernel), 1};
  }
  /// In double at most: its vectors are shorter, and with them the halo along x may be.
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    const int row = of.tile.x + 2 * 4 * ceil_div(reach.upper.x, 4);
    return Extent3{row, of.tile.y - 1 + depth_y(reach), depth_z(reach) + ahead}.points();
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int radius) {
    constexpr int most_copies = 32;  // a thread's, in the bits of a word
    if (of.tile.x % 4 != 0 || of.tile.y % 2 != 0) return {"its tile is no multiple of 4x2 points"};
    const int threads = static_cast<int>(threads_of(of, {false, radius}).points());
    const int copies =
        ceil_div((of.tile.x / 4 + 2 * ceil_div(radius, 4)) * (of.tile.y + 2 * radius), threads);
    return copies > most_copies ? Refusal{"a thread has ", copies, " copies, at most ", most_copies}
                                : Refusal{};
  }

  /// One column of tiles more than points fill: the first begins up to three points before the box.
  static MINIMOD_HD Extent3 blocks(const Box3& box) {
    const Extent3 n = box.extent();
    return blocks_covering({n.x + 3, n.y, n.z}, tile);
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const Layout& at = args.layout;
    const Index3 t = block.thread();
    const Index3 first = tile_point(first_of_vectors(box, at), tile, block.index(), {0, 0, 0});
    if (first.x >= box.end.x) return;  // all threads of the block
    const int end_z = first.z + Dz < box.end.z ? first.z + Dz : box.end.z;
    Index3 p{first.x + V * t.x, first.y + rows * t.y, first.z};

    constexpr int halo = V * Ring::halo;  // values
    // Before the box's first column a vector that no star needs may stand before the storage.
    const int before = R % vector_alignment == 0 ? 0 : box.begin.x - first.x + halo - R;
    Copies copies(args.u + at.index(first.x, first.y, first.z) - halo - R * (at.stride_y + at.stride_z),
                  at.stride_y, before, box.end.x + R + halo - first.x, box.end.y + 2 * R - first.y,
                  t.x + t.y * threads.x);
    int next_z = first.z - R, next_slot = 0;
    const auto copy_next_plane = [&] {
      if (next_z++ < end_z + R) copies.start(block, &shared.ring.plane[next_slot][0][0], at.stride_z);
      block.commit();
      next_slot = next_slot + 1 < planes ? next_slot + 1 : 0;
    };
    for (int i = 0; i < 2 * R + ahead; ++i) copy_next_plane();

    const VectorStencil stencil{args, p};
    DampingOfPoints<Update, V, rows> damping(args, p);
    FieldVectors<Update> fields[rows] = {}, coming[rows] = {};
    stencil.load(coming, p);
    int slot[2 * R + 1];  // slots of the planes z - R … z + R
    for (int m = 0; m <= 2 * R; ++m) slot[m] = m;
    for (; p.z < end_z; ++p.z) {
      block.template wait<ahead - 1>();
      block.sync();
      copy_next_plane();
#pragma unroll
      for (int r = 0; r < rows; ++r) fields[r] = coming[r];
      if (p.z + 1 < end_z) stencil.load(coming, {p.x, p.y, p.z + 1});
      damping.set_plane(args, p.z);
      stencil.update(shared.ring, slot, t, p, damping, fields);
#pragma unroll
      for (int m = 0; m < 2 * R; ++m) slot[m] = slot[m + 1];
      slot[2 * R] = slot[2 * R] + 1 < planes ? slot[2 * R] + 1 : 0;
    }
  }

 private:
  /// The points of a thread in a plane.
  struct VectorStencil {
    const typename Update::Args& args;
    unsigned lanes;  ///< bit i: point i along x is in the box
    int rows_in_box = 0;

    MINIMOD_HD VectorStencil(const typename Update::Args& a, Index3 p)
        : args(a), lanes(lanes_in_box<V>(a.box, p.x)) {
      if (lanes != 0) rows_in_box = args.box.end.y - p.y;
    }

    MINIMOD_HD void load(FieldVectors<Update> (&fields)[rows], Index3 p) const {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (r < rows_in_box) fields[r].load(args, {p.x, p.y + r, p.z});
      }
    }

    MINIMOD_HD void update(const Ring& ring, const int (&slot)[2 * R + 1], Index3 t, Index3 p,
                           const DampingOfPoints<Update, V, rows>& damping,
                           FieldVectors<Update> (&fields)[rows]) const {
      if (rows_in_box <= 0) return;
      constexpr int beside = Ring::halo;
      const int i = t.x + beside, j = rows * t.y + R;
      Values column[rows + 2 * R];
#pragma unroll
      for (int k = 0; k < rows + 2 * R; ++k) column[k] = ring.plane[slot[R]][j - R + k][i];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        Values stack[2 * R + 1];
#pragma unroll
        for (int m = 0; m <= 2 * R; ++m) stack[m] = m == R ? column[R + r] : ring.plane[slot[m]][j + r][i];
        Values row[2 * beside + 1];
#pragma unroll
        for (int k = 0; k <= 2 * beside; ++k) {
          row[k] = k == beside ? column[R + r] : ring.plane[slot[R]][j + r][i - beside + k];
        }
        unsigned stored = r < rows_in_box ? lanes : 0;
#pragma unroll
        for (int lane = 0; lane < V; ++lane) {
          const Index3 q{p.x + lane, p.y + r, p.z};
          const auto star = evaluate(args.weights, VectorStar<Real, R>{row, column + R + r, stack, lane});
          PointFields<Real> f{fields[r].u_next.value[lane], fields[r].v2dt2.value[lane],
                              fields[r].phi.value[lane]};
          Update::advance(args, q, f, star, damping.damping[r][lane], damping.gradient(lane, r));
          fields[r].u_next.value[lane] = f.u_next;
          fields[r].phi.value[lane] = f.phi;
          if (!Update::writes(args, q)) stored &= ~(1U << lane);
        }
        fields[r].store(args, {p.x, p.y + r, p.z}, stored);
      }
    }
  };
};

}  // namespace minimod
