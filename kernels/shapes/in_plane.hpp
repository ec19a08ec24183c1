/// Families `in_plane_vertical`, `in_plane_horizontal`, `in_plane_full`: 2.5-D streaming along z in which the
/// plane that is loaded is also the plane of the halos. It is staged in shared memory and gives a point its
/// part of the star along x and y, and along z that of the planes already seen; the results of the last R
/// planes wait in a queue of registers, each plane that comes adds its share to them, and the oldest is
/// complete when the plane R below it has been loaded. A block of TX x TY threads works on (TX RX) x (TY RY)
/// points, a thread on RX x RY of them, TX and TY apart so that a warp's points lie side by side (register
/// tiling).
///
/// As one plane holds all that is loaded, tile and halo can be loaded together, by vectors of V values:
///   vertical     the tile with the halos above and below it; the halos left and right by single values
///   horizontal   the tile with the halos left and right of it; the halos above and below on their own
///   full         everything at once, with the 4R² values of the corners that no star reads
///
/// A point costs 1/V load instructions of u and its share of the halo, 4R+1 shared reads, 2 barriers / (RX
/// RY), R more multiply-adds than elsewhere (z is summed one value at a time), and registers: 2R values in
/// the inner update, 5R in the PML, which also queues the first differences. About (TX RX + 2R + V)(TY RY +
/// 2R) values of shared memory.
///
/// Tang et al., "Optimizing and Auto-Tuning Iterative Stencil Loops for GPUs with the In-Plane Method" (IPDPS
/// 2013), section III.C. Other than there, the queue's registers stay in place: the loop is unrolled R times.
#pragma once

#include "kernels/shape.hpp"
#include "kernels/shapes/plane_window.hpp"
#include "kernels/shapes/streaming.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// A point's results of the last R planes, not complete yet: `laplacian` lacks the planes to come, and `dz`
/// u₊ until that has come. Slot `phase` is the oldest; the new plane takes its place.
template <class Real, int R>
struct PartialQueue {
  StarValues<Real> slot[R] = {};

  /// Of the plane m before the one that comes.
  [[nodiscard]] MINIMOD_HD StarValues<Real>& before(int phase, int m) { return slot[(phase + R - m) % R]; }

  /// The star of the plane that comes as far as it is known.
  struct KnownStar {
    PartialQueue& queue;
    const Real* centre;  ///< in the shared plane
    int pitch, phase;
    MINIMOD_HD Real x(int m) const { return centre[m]; }
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): offsets in a tile are small
    MINIMOD_HD Real y(int m) const { return centre[m * pitch]; }
    /// Below: minus zero, which changes no sum, so that the compiler drops the additions.
    MINIMOD_HD Real z(int m) const { return m > 0 ? Real(-0.0) : queue.before(phase, -m).u; }
  };

  /// A plane comes, with `centre` the point in it: completes the result of the plane R before and returns it.
  MINIMOD_HD StarValues<Real> push(const StencilWeights<Real, R>& w, int phase, const Real* centre,
                                   int pitch) {
    const Real u = *centre;
#pragma unroll
    for (int m = 1; m <= R; ++m) {
      StarValues<Real>& partial = before(phase, m);
      partial.laplacian = fused(w.z[m - 1], u, partial.laplacian);
      if (m == 1) partial.dz += u;
    }
    const StarValues<Real> begun = evaluate(w, KnownStar{*this, centre, pitch, phase});
    const StarValues<Real> complete = slot[phase];
    slot[phase] = begun;
    return complete;
  }
};

/// Values in the plane of a tile with all its halo, in whole vectors wherever the tile begins.
MINIMOD_HD constexpr int window_values(const ShapeParameters& of, int radius) {
  const int v = of.vector_width;
  return (of.tile.x + 2 * radius + 2 * (v - 1)) / v * v * (of.tile.y + 2 * radius);
}

/// The body of the families. `Loading` has load(bring_vectors, bring_values), which bring parts of the
/// window.
template <class Update, template <int, int, int> class Loading, int TX, int TY, int RX, int RY, int V>
struct InPlane : ShapeDefaults {
  using Real = typename Update::Real;
  static constexpr int R = Update::radius;
  static constexpr int W = TX * RX, H = TY * RY;
  using Window = PlaneWindow<Real, W, H, R, V>;

  static constexpr Extent3 tile{W, H, 0};
  static constexpr Extent3 default_tile{32, 32, 0};
  static constexpr Extent3 threads{TX, TY, 1};
  static constexpr const char* sums = "in_plane";
  static constexpr ExtraWork extra_work{
      4, "in-plane: 8 multiply-adds along z instead of 4 and 4 additions; points of a tile beyond the box"};
  static constexpr Extent3 points_per_thread{RX, RY, 1};
  static constexpr int vector_width = V;
  struct Shared {
    Window window;
  };

  static constexpr const char* header = "in_plane.hpp";
  static constexpr VectorWidths vectors = vectors_of_2_or_4;
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return window_values(of, reach.upper.x);
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) {
    const Refusal of_threads = why_no_register_tiles(of);
    return of_threads ? of_threads : why_no_vector(of.vector_width);
  }

  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    return window_values(of, radius);
  }
  /// z is summed one value at a time.
  static MINIMOD_HD constexpr int more_operations(int radius) { return radius; }

  /// Calls body(queue, i, j) for the points of a thread, i and j in the tile.
  template <class Queues, class Body>
  static MINIMOD_HD void for_points(Queues& queues, Index3 t, const Body& body) {
#pragma unroll
    for (int b = 0; b < RY; ++b) {
#pragma unroll
      for (int a = 0; a < RX; ++a) body(queues[b][a], t.x + a * TX, t.y + b * TY);
    }
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Update::Args& args, Shared& shared) const {
    const Box3& box = args.box;
    const Layout& at = args.layout;
    const Index3 t = block.thread();
    const Index3 first = tile_point(box.begin, {W, H, 0}, block.index(), {0, 0, 0});
    const int points_x = box.end.x - first.x, points_y = box.end.y - first.y;
    const std::int64_t index = at.index(first.x, first.y, first.z);

    PartialQueue<Real, R> queues[RY][RX];
    for_points(queues, t, [&](auto& queue, int i, int j) {
      if (i >= points_x || j >= points_y) return;
      const Real* u = args.u + index + i + j * at.stride_y;
#pragma unroll
      for (int m = 1; m <= R; ++m) queue.before(0, m).u = u[-m * at.stride_z];
    });

    auto source = Window::source(args.u, index, at.stride_y, points_x, points_y);
    const int thread = t.x + t.y * TX;
    march<R>(box.begin.z, box.end.z + R, [&](int z, int phase) {
      Loading<W, H, R>::load(
          [&](WindowPart part) { shared.window.template bring<V, TX * TY>(source, thread, part); },
          [&](WindowPart part) { shared.window.template bring<1, TX * TY>(source, thread, part); });
      source.first += at.stride_z;
      block.sync();
      for_points(queues, t, [&](auto& queue, int i, int j) {
        const Real* centre = &shared.window.value[j + R][i + R + source.shift];
        const StarValues<Real> complete = queue.push(args.weights, phase, centre, Window::pitch);
        if (z >= box.begin.z + R && i < points_x && j < points_y) {
          finish_point<Update>(args, {first.x + i, first.y + j, z - R}, complete);
        }
      });
      block.sync();
    });
  }
};

template <int W, int H, int R>
struct VerticalLoading {
  template <class Vectors, class Values>
  static MINIMOD_HD void load(const Vectors& bring_vectors, const Values& bring_values) {
    bring_vectors({R, 0, W, H + 2 * R});
    bring_values({0, R, R, H});
    bring_values({R + W, R, R, H});
  }
};

template <int W, int H, int R>
struct HorizontalLoading {
  template <class Vectors, class Values>
  static MINIMOD_HD void load(const Vectors& bring_vectors, const Values&) {
    bring_vectors({0, R, W + 2 * R, H});
    bring_vectors({R, 0, W, R});
    bring_vectors({R, R + H, W, R});
  }
};

template <int W, int H, int R>
struct FullLoading {
  template <class Vectors, class Values>
  static MINIMOD_HD void load(const Vectors& bring_vectors, const Values&) {
    bring_vectors({0, 0, W + 2 * R, H + 2 * R});
  }
};

template <class Update, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneVertical : InPlane<Update, VerticalLoading, TX, TY, RX, RY, V> {
  static constexpr const char* family = "in_plane_vertical";
  static constexpr const char* summary = "in-plane streaming, tile and y halos loaded together by vectors";
};

template <class Update, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneHorizontal : InPlane<Update, HorizontalLoading, TX, TY, RX, RY, V> {
  static constexpr const char* family = "in_plane_horizontal";
  static constexpr const char* summary = "in-plane streaming, tile and x halos loaded together by vectors";
};

template <class Update, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneFull : InPlane<Update, FullLoading, TX, TY, RX, RY, V> {
  /// 40 registers a thread where it has two points: the compiler would take more and lose threads.
  static constexpr int blocks_per_multiprocessor =
      !Update::damps && RX * RY == 2 && V == 4 ? 1536 / (TX * TY) : 0;
  static constexpr const char* family = "in_plane_full";
  static constexpr const char* summary = "in-plane streaming, tile and all halos loaded at once by vectors";
};

}  // namespace minimod
