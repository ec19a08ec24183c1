/// Families `in_plane_vertical`, `in_plane_horizontal`, `in_plane_full`: a 2-D block marches along z, and the
/// plane that it loads is the one that its points read, halos included. It gives each point its share of the
/// sums of all planes that read it; sums that are not complete wait in registers, and the oldest is finished.
/// A block of TX x TY threads works on (TX RX) x (TY RY) points, a thread on RX x RY of them (register
/// tiling).
///
/// As one plane holds all that is loaded, tile and halo can be loaded together, by vectors of V values:
///   vertical     the tile with the halos above and below it; the halos left and right by single values
///   horizontal   the tile with the halos left and right of it; the halos above and below on their own
///   full         everything at once, with the 4R² values of the corners that no star reads
///
/// A wave's star (StarSums) costs a point 1/V load instructions of u and its share of the halo, 4R+1 shared
/// reads, 2 barriers / (RX RY), R more multiply-adds than elsewhere (z is summed one value at a time), and
/// registers: 2R values in the inner update, 5R in the PML, which also queues the first differences.
/// Specifications whose equations are sums of values times weights (constants or arrays that are read at the
/// point alone), with corners or without, have their planes by asynchronous copies (planes_ahead.hpp).
///
/// Tang et al., "Optimizing and Auto-Tuning Iterative Stencil Loops for GPUs with the In-Plane Method" (IPDPS
/// 2013), section III.C; there of a star alone. Other than there, sums stay in their registers: the loop is
/// unrolled as often as there are some.
///
/// An equation that gives its sums plane by plane has
///   Sum                       what waits for a point
///   lowest, highest           the planes, from the point's, that are the first and the last to be added;
///                             where the first is 1, a sum begins behind its own plane
///   has_factors_off_plane     whether `add` reads weights at the points of the sums, off the loaded plane
///   begin(point, sum)         sets it to what is added to it
///   add<Z>(point, sum)        adds what is read Z planes off its point; `point` stands in that plane
///   store(point, sum)
#pragma once

#include "kernels/shapes/plane_window.hpp"
#include "kernels/shapes/planes_ahead.hpp"
#include "kernels/shapes/streaming.hpp"
#include "kernels/update.hpp"

namespace minimod {

/// A wave's star as such sums. Each begins with its own plane: u of those before is that of their sums.
template <class Update>
struct StarSums : Update {
  using Real = typename Update::Real;
  using Sum = StarValues<Real>;  ///< `laplacian` lacks the planes to come, and `dz` u₊ until that has come
  static constexpr int lowest = 1, highest = Update::radius;
  static constexpr bool has_factors_off_plane = false;

  /// The star of the plane that comes as far as it is known.
  template <class Point>
  struct KnownStar {
    const Point& point;
    MINIMOD_HD Real x(int m) const { return point.template load<Update::u>(m, 0); }
    MINIMOD_HD Real y(int m) const { return point.template load<Update::u>(0, m); }
    /// Below: minus zero, which changes no sum, so that the compiler drops the additions.
    MINIMOD_HD Real z(int m) const { return m > 0 ? Real(-0.0) : point.waiting(-m).u; }
  };

  /// Before the first plane that a block loads, as its points have u of the planes before from memory.
  static MINIMOD_HD void recall(Real u, Sum& sum) { sum.u = u; }
  template <class Point>
  static MINIMOD_HD void begin(const Point& point, Sum& sum) {
    sum = evaluate(point.args().weights, KnownStar<Point>{point});
  }
  template <int Z, class Point>
  static MINIMOD_HD void add(const Point& point, Sum& sum) {
    const Real u = point.template load<Update::u>(0, 0);
    sum.laplacian = fused(point.args().weights.z[Z - 1], u, sum.laplacian);
    if (Z == 1) sum.dz += u;
  }
  template <class Point>
  static MINIMOD_HD void store(const Point& point, const Sum& sum) {
    Update::finish(point, sum);
  }
};

/// The body of the families. `Planes` has the plane that is loaded, and says for how many points side by side
/// a thread has sums in vectors (`lanes`), how many rows apart its points stand (`apart_y`), and whether it
/// finishes each before it goes on with the next (`is_one_by_one`), which takes fewer registers, or all
/// together, which lets their loads overlap.
template <class Equation, class Planes, int TX, int TY, int RX, int RY, int V>
struct InPlane : ShapeDefaults {
  using Real = typename Equation::Real;
  static constexpr int lowest = Equation::lowest, highest = Equation::highest;
  static constexpr int period = highest - lowest + 1;
  static constexpr int lanes = Planes::lanes, apart_y = Planes::apart_y;
  static constexpr Extent3 tile{TX * RX, TY*RY, 0}, default_tile{32, 32, 0}, threads{TX, TY, 1};
  static constexpr Extent3 points_per_thread{RX, RY, 1};
  static constexpr int vector_width = V;
  static constexpr const char *sums = "in_plane", *header = "in_plane.hpp";
  static constexpr ExtraWork extra_work{
      4, "in-plane: 8 multiply-adds along z instead of 4 and 4 additions; points of a tile beyond the box"};
  static constexpr bool needs_sums_by_plane = true;
  static constexpr VectorWidths vectors = Planes::vectors;
  using Shared = typename Planes::Shared;
  static constexpr bool stages(Reach reach) { return is_beside_in_plane(reach); }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return Planes::shared_values(of, reach);
  }
  static constexpr Refusal refusal(const ShapeParameters& of, int) {
    const Refusal of_vectors = Planes::refusal(of);
    return of_vectors ? of_vectors : why_no_register_tiles(of);
  }
  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    return Planes::shared_values(of, {{}, {radius, radius, radius}});
  }
  /// z is summed one value at a time.
  static MINIMOD_HD constexpr int more_operations(int radius) { return radius; }

  /// The sums of points side by side, of a plane and of all that wait.
  struct Sums {
    typename Equation::Sum value[lanes];
  };
  struct Queue {
    Sums of[period];  ///< `phase` is the oldest: the one that is complete next
    /// The sum of the plane m before the one that comes.
    MINIMOD_HD Sums& before(int phase, int m) { return of[(phase + highest - m) % period]; }
  };

  /// Number Lane of points side by side, whose first one stands at `index` of memory, at i, j of the tile.
  template <class Block, int Lane>
  struct Point {
    const Memory<Equation, Block>& memory;
    const Planes& planes;
    Queue& queue;
    int phase;
    unsigned slot;
    std::int64_t index;
    int i, j;
    [[nodiscard]] MINIMOD_HD const auto& args() const { return memory.args; }
    [[nodiscard]] MINIMOD_HD const auto& waiting(int m) const { return queue.before(phase, m).value[Lane]; }
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real load(int x, int y) const {
      if constexpr (is_beside_in_plane(Equation::reach(Array))) {
        return static_cast<Real>(planes.template value<Array, Lane>(slot, i, j, x, y));
      } else {
        return factor<Array>(0);
      }
    }
    /// A value z planes away, of an array that is read at the point alone or along z in the loaded plane.
    template <int Array>
    [[nodiscard]] MINIMOD_HD Real factor(int z) const {
      const std::int64_t offset = z * memory.template layout<Array>().stride_z;
      return static_cast<Real>(memory.template vector<Array, lanes>(index + offset).value[Lane]);
    }
  };

  /// Adds a plane to the sums for which it is Z planes off, and to those of higher Z. `point`: has number
  /// Lane of the points side by side.
  template <int Z, class PointOf>
  static MINIMOD_HD void add_from(const PointOf& point, const Box3& box, int plane, int phase, Queue& queue) {
    if constexpr (Z <= highest) {
      const int its = plane - Z;  // plane of the sums: where they have weights, one of the box
      if (!Equation::has_factors_off_plane || (its >= box.begin.z && its < box.end.z)) {
        for_lanes<lanes>([&]<int Lane>() {
          Equation::template add<Z>(point.template operator()<Lane>(), queue.before(phase, Z).value[Lane]);
        });
      }
      add_from<Z + 1>(point, box, plane, phase, queue);
    }
  }
  template <class PointOf>
  static MINIMOD_HD void begin_sums(const PointOf& point, Sums& sums) {
    for_lanes<lanes>(
        [&]<int Lane>() { Equation::begin(point.template operator()<Lane>(), sums.value[Lane]); });
  }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared& shared) const {
    const Memory<Equation, Block> memory{args, block};
    const Box3& box = args.box;
    const Layout& at = args.layout;
    const Index3 t = block.thread(), first = tile_point(box.begin, tile, block.index(), {0, 0, 0});
    const int begin = box.begin.z + (lowest < 0 ? lowest : 0), end = box.end.z + highest;
    const int i = t.x * lanes, j = t.y * (apart_y == 1 ? RY : 1);  // the thread's first point in the tile
    const int points_x = box.end.x - first.x - i, points_y = box.end.y - first.y - j;
    const std::int64_t tile_index = at.index(first.x, first.y, begin);
    const Planes planes(memory, shared, first, tile_index, t.x + TX * t.y);
    std::int64_t own = at.index(first.x + i, first.y + j, begin);
    Queue queues[RY][RX / lanes] = {};
    const auto for_points = [&](bool in_box, const auto& body) {
      for_points_of_lane<TX * lanes, apart_y, RX / lanes, RY>([&](int a, int b, int x, int y) {
        if (!in_box || (x < points_x && y < points_y)) body(queues[b][a], x, y, own + x + y * at.stride_y);
      });
    };
    for_points(true, [&](Queue& queue, int, int, std::int64_t index) {
#pragma unroll
      for (int m = lowest; m <= highest; ++m) {
        for (auto& sum : queue.before(0, m).value) {
          if constexpr (lowest > 0) {
            Equation::recall(memory.template value<Equation::u>(index, -m * at.stride_z), sum);
          } else {
            Equation::begin(memory, sum);
          }
        }
      }
    });
    auto next = planes.begin(memory, tile_index, begin, end);
    unsigned slot = 0;
    march<period>(begin, end, [&](int z, int phase) {
      planes.take(memory, next, slot, z + Planes::ahead < end);
      const auto point_of = [&](Queue& queue, int x, int y, std::int64_t index) {
        return [&, x, y, index]<int Lane>() {
          return Point<Block, Lane>{memory, planes, queue, phase, slot, index, i + x, j + y};
        };
      };
      const auto finish = [&](const Sums& complete, int x, int y, std::int64_t index) {
        const Index3 p{first.x + i + x, first.y + j + y, z - highest};
        if constexpr (Equation::Elsewhere::count > 0) {
          Equation::store(OwnPoint<Equation>{{args, NoBlock()}, p}, complete.value[0]);
        } else {
          index -= highest * at.stride_z;
          Results<Equation, lanes> results;
          for_lanes<lanes>([&]<int Lane>() {
            Equation::store(LaneOfMemory<Equation, Block, lanes, Lane>{memory, p, index, results},
                            complete.value[Lane]);
          });
          results.store(memory, index, points_x - x);
        }
      };
      if constexpr (Planes::is_one_by_one) {
        for_points(false, [&](Queue& queue, int x, int y, std::int64_t index) {
          const auto point = point_of(queue, x, y, index);
          add_from<lowest>(point, box, z, phase, queue);
          const Sums complete = queue.of[phase];
          begin_sums(point, queue.of[phase]);
          if (z - highest >= box.begin.z && x < points_x && y < points_y) finish(complete, x, y, index);
        });
      } else {
        for_points(true, [&](Queue& queue, int x, int y, std::int64_t index) {
          const auto point = point_of(queue, x, y, index);
          begin_sums(point, queue.before(phase, lowest));
          add_from<lowest>(point, box, z, phase, queue);
        });
        if (z - highest >= box.begin.z) {
          for_points(true, [&](const Queue& queue, int x, int y, std::int64_t index) {
            finish(queue.of[phase], x, y, index);
          });
        }
      }
      own += at.stride_z;
      slot = (slot + 1) % Planes::planes;
      if constexpr (Planes::planes == 1) block.sync();  // before it is filled again
    });
  }
};

/// Over an equation that gives its sums, or over the star of a wave.
template <class Equation, Halos With, int... Tile>
using InPlaneOf = std::conditional_t < requires {
  typename Equation::Sum;
}
, InPlane<Equation, PlanesAhead<Equation, Tile...>, Tile...>, InPlane < StarSums<Equation>,
    PlaneWindow<StarSums<Equation>, With, Tile...>, Tile... >>
    ;

template <class Equation, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneVertical : InPlaneOf<Equation, Halos::y, TX, TY, RX, RY, V> {
  static constexpr const char* family = "in_plane_vertical";
  static constexpr const char* summary = "in-plane streaming, tile and y halos loaded together by vectors";
};

template <class Equation, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneHorizontal : InPlaneOf<Equation, Halos::x, TX, TY, RX, RY, V> {
  static constexpr const char* family = "in_plane_horizontal";
  static constexpr const char* summary = "in-plane streaming, tile and x halos loaded together by vectors";
};

template <class Equation, int TX, int TY, int RX, int RY, int V = 4>
struct InPlaneFull : InPlaneOf<Equation, Halos::all, TX, TY, RX, RY, V> {
  /// 40 registers a thread where it has two points of a wave: the compiler would take more and lose threads.
  static constexpr int blocks_per_multiprocessor = requires { requires !Equation::damps; }
  &&RX* RY == 2 && V == 4 ? 1536 / (TX * TY) : 0;
  static constexpr const char* family = "in_plane_full";
  static constexpr const char* summary = "in-plane streaming, tile and all halos loaded at once by vectors";
};

}  // namespace minimod
