/// Parts that the shapes for Hopper share with the host: the in-plane queue on vectors, the damping that a
/// thread keeps, and the exchange of y and z. Their blocks are emulated here without what brings the planes:
/// tile after tile of a walk, plane after plane, thread after thread.
#include "kernels/device/vector_queue.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/cores/reference.hpp"
#include "kernels/marching_axis.hpp"
#include "kernels/registry.hpp"
#include "kernels/rings/ring_tile.hpp"
#include "kernels/shapes/streaming.hpp"
#include "kernels/tiles/tile_walk.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/field_set.hpp"

using namespace minimod;

namespace {

using Fields = FieldSet<float>;
using Args = WaveArgs<float>;
using Inner = InnerUpdate<float>;
using Pml = PmlUpdate<float>;

/// How planes come, and which slot of the queue they take. Tests of the tests exchange some.
struct Order {
  int (*plane)(int k) = [](int k) { return k; };
  int (*slot)(int phase) = [](int turn) { return turn; };
};

/// The blocks of a launch: TX x TY threads, each with `Rows` rows of a vector of points.
template <class Update, int TX, int TY, int Rows>
class InPlaneBlocks {
 public:
  using Real = typename Update::Real;
  using Args = typename Update::Args;
  using Queue = VectorQueue<Update, Rows>;
  static constexpr int R = Update::radius, V = Queue::V, beside = Queue::beside;
  static constexpr int width = V * TX, height = TY * Rows;

  InPlaneBlocks(const Args& args, const Order& order)
      : args_(args), order_(order), walk_(plan_walk(args.box, args.layout, {width, height, 0}, {3, 3, 4})) {}

  /// The queues of a block stay from tile to tile, as they do on the GPU.
  void run() {
    for (int block = 0; block < walk_.blocks; ++block) {
      std::vector<Queue> queues(TX * TY);
      for (int tile = block; tile < walk_.count(); tile += walk_.blocks) run_tile(walk_.points(tile), queues);
    }
  }

 private:
  using Damping = DampingOfPoints<Update, V, Rows>;

  static Index3 first_point(const Box3& tile, int thread) {
    return {tile.begin.x + V * (thread % TX), tile.begin.y + Rows * (thread / TX), tile.begin.z};
  }

  void run_tile(const Box3& tile, std::vector<Queue>& queues) {
    std::vector<Damping> damping;
    for (int thread = 0; thread < TX * TY; ++thread) damping.emplace_back(args_, first_point(tile, thread));
    march<R>(0, tile.extent().z + 2 * R, [&](int k, int phase) {
      fill_plane(tile, tile.begin.z - R + order_.plane(k));
      for (int thread = 0; thread < TX * TY; ++thread) {
        push(tile, thread, k, order_.slot(phase), queues[thread], damping[thread]);
      }
    });
  }

  /// NaN where no star of the box reaches.
  void fill_plane(const Box3& tile, int z) {
    for (int j = 0; j < height + 2 * R; ++j) {
      for (int i = 0; i < width + 2 * V * beside; ++i) {
        const int x = tile.begin.x - V * beside + i, y = tile.begin.y - R + j;
        const bool is_needed =
            x >= args_.box.begin.x - R && x < args_.box.end.x + R && y < args_.box.end.y + R;
        plane_[j][i / V].value[i % V] =
            is_needed ? args_.u[args_.layout.index(x, y, z)] : std::numeric_limits<Real>::quiet_NaN();
      }
    }
  }

  void push(const Box3& tile, int thread, int k, int phase, Queue& queue, Damping& damping) {
    Index3 p = first_point(tile, thread);
    p.z += k - 2 * R;
    const bool completes = k >= 2 * R;
    if (completes) damping.set_plane(args_, p.z);
    const auto finish = [&](int r, const typename Queue::Complete& complete) {
      if (completes) store({p.x, p.y + r, p.z}, r, complete, damping);
    };
    queue.push(args_.weights, {&plane_[Rows * (thread / TX) + R][thread % TX + beside], TX + 2 * beside},
               phase, damping, finish, [] {});
  }

  void store(Index3 p, int r, const typename Queue::Complete& now, const Damping& damping) const {
    if (p.y >= args_.box.end.y) return;
    const unsigned lanes = lanes_in_box<V>(args_.box, p.x);
    for (int i = 0; i < V; ++i) {
      if ((lanes >> i & 1U) == 0) continue;
      const std::int64_t at = args_.layout.index(p.x + i, p.y, p.z);
      const Real u = now.u.value[i], laplacian = now.laplacian.value[i];
      if constexpr (Update::damps) {
        Real& phi = args_.phi[args_.phi_layout.index(p.x + i, p.y, p.z)];
        PointFields<Real> f{args_.u_before[at], args_.v2dt2[at], phi};
        const Real decay = Update::decay(now.decay.value[i], now.dz.value[i], damping.gradient(i, r).z);
        Update::advance(f, u, laplacian, decay, damping.damping[r][i]);
        args_.u_next[at] = f.u_next;
        phi = f.phi;
      } else {
        args_.u_next[at] = Update::next({u, laplacian, 0, 0, 0}, args_.v2dt2[at], args_.u_before[at]);
      }
    }
  }

  Args args_;
  Order order_;
  TileWalk walk_;
  Vector<Real, V> plane_[height + 2 * R][TX + 2 * beside];
};

/// The tiles of the kernels, and small ones of which several fit into small grids.
template <class Update, int TX, int TY, int Rows>
struct BlocksOf {
  static void run(const typename Update::Args& args, const Order& order = {}) {
    InPlaneBlocks<Update, TX, TY, Rows>(args, order).run();
  }
};
template <class Update>
using WideBlocks = BlocksOf<Update, 32, 8, Update::damps ? 2 : 4>;
template <class Update>
using SquareBlocks = BlocksOf<Update, 16, 16, 4>;
template <class Update>
using TwoStepBlocks = BlocksOf<Update, 16, 8, 4>;
template <class Update>
using SmallBlocks = BlocksOf<Update, 3, 2, 4>;
template <class Update>
using FlatBlocks = BlocksOf<Update, 5, 3, 1>;

/// Greatest relative errors against the reference.
struct Errors {
  double u_next, phi;
};

/// Errors of one step in the inner box.
Errors inner_errors(const Fields& initial, auto run) {
  Fields expected = initial, f = initial;
  run_reference<Inner>(expected.args(expected.regions.inner));
  run(f.args(f.regions.inner));
  return {f.difference_of_u_next(expected), same_bits(f.u, initial.u) ? 0 : 1.0};
}

/// Errors of one step in a PML region.
Errors pml_errors(const Fields& initial, int region, auto run) {
  Fields expected = initial, f = initial;
  run_reference<Pml>(expected.args(expected.regions.pml[region], region));
  run(f.args(f.regions.pml[region], region));
  return {f.difference_of_u_next(expected), relative_difference(f.phi, expected.phi)};
}

/// The first has columns of a few points, the last rounds of several pieces along z; the sanitizers take long
/// over both others.
SmallDomain some_grid() {
#ifdef __SANITIZE_ADDRESS__
  return GENERATE(SmallDomain{{11, 43, 14}, 3}, SmallDomain{{41, 10, 33}, 3});
#else
  return GENERATE(SmallDomain{{11, 43, 14}, 3}, SmallDomain{{41, 10, 33}, 3}, SmallDomain{{37, 29, 23}, 5},
                  SmallDomain{{31, 18, 85}, 6});
#endif
}

}  // namespace

TEMPLATE_TEST_CASE("The in-plane queue on vectors gives the reference's inner update", "[shapes]",
                   WideBlocks<Inner>, SquareBlocks<Inner>, TwoStepBlocks<Inner>, SmallBlocks<Inner>,
                   FlatBlocks<Inner>) {
  const SmallDomain grid = some_grid();
  CAPTURE(grid.n.x, grid.n.y, grid.n.z);
  const Errors errors =
      inner_errors(Fields(grid.n, grid.pml_width, 7), [](const Args& args) { TestType::run(args); });
  CHECK(errors.u_next <= 1e-6);
  CHECK(errors.phi == 0);
}

TEMPLATE_TEST_CASE("The in-plane queue on vectors gives the reference's update of all six PML regions",
                   "[shapes]", WideBlocks<Pml>, SmallBlocks<Pml>, FlatBlocks<Pml>) {
  const SmallDomain grid = some_grid();
  const int region = GENERATE(0, 1, 2, 3, 4, 5);
  CAPTURE(grid.n.x, grid.n.y, grid.n.z, region);
  const Fields initial(grid.n, grid.pml_width, 9);
  const Errors along_z = pml_errors(initial, region, [](const Args& args) { TestType::run(args); });
  CHECK(along_z.u_next <= 1e-6);
  CHECK(along_z.phi <= 1e-6);
  const Errors along_slab =
      pml_errors(initial, region, [](const Args& args) { TestType::run(marching_along_the_slab(args)); });
  CHECK(along_slab.u_next <= 1e-6);
  CHECK(along_slab.phi <= 1e-6);
}

namespace {

/// The greatest error of a step by another stencil, of u or of φ.
template <class Update, class Blocks>
double error_of_stencil() {
  using Real = typename Update::Real;
  constexpr Precision precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  const LaunchPlanners& reference = find_shape("reference", Update::radius, precision).host;
  double error = 0;
  for (int region = 0; region < (Update::damps ? 6 : 1); ++region) {
    FieldSet<Real> f({37, 29, 33}, 6, 7, Update::radius);
    const Box3 box = Update::damps ? f.regions.pml[region] : f.regions.inner;
    FieldSet<Real> expected = f;
    run_once(Update::damps ? reference.pml : reference.inner, expected.args(box, region));
    Blocks::run(f.args(box, region));
    error = std::max(error, f.difference_of_u_next(expected));
    if (Update::damps) error = std::max(error, relative_difference(f.phi, expected.phi));
  }
  return error;
}

}  // namespace

TEMPLATE_TEST_CASE("The in-plane queue on vectors gives the reference's update with other stencils",
                   "[shapes]", (InnerUpdate<float, 1>), (InnerUpdate<float, 2>), (InnerUpdate<float, 3>),
                   (InnerUpdate<float, 5>), (InnerUpdate<float, 6>), (InnerUpdate<float, 7>),
                   (InnerUpdate<float, 8>), (InnerUpdate<double, 1>), (InnerUpdate<double, 2>),
                   (InnerUpdate<double, 3>), (InnerUpdate<double, 4>), (InnerUpdate<double, 5>),
                   (InnerUpdate<double, 8>), (PmlUpdate<float, 1>), (PmlUpdate<double, 2>),
                   (PmlUpdate<float, 6>), (PmlUpdate<double, 8>)) {
  using Real = typename TestType::Real;
  constexpr int R = TestType::radius;
  using Tile = std::conditional_t<TestType::damps, StencilPmlTile<Real, R>, StencilTile<Real, R>>;
  constexpr int threads_y = Tile::consumers / Tile::threads_x;
  const double most = std::is_same_v<Real, float> ? 1e-6 : 1e-14;
  CHECK(error_of_stencil<TestType, BlocksOf<TestType, Tile::threads_x, threads_y, Tile::rows>>() <= most);
  CHECK(error_of_stencil<TestType, BlocksOf<TestType, 3, 2, Tile::rows>>() <= most);
}

TEST_CASE("A plane that comes in a wrong order or is taken for another is found out", "[shapes]") {
  const Fields initial({37, 29, 23}, 5, 7);
  const auto inner = [&](const Order& order) {
    return inner_errors(initial, [&](const Args& args) { SmallBlocks<Inner>::run(args, order); }).u_next;
  };
  const auto pml = [&](const Order& order) {
    return pml_errors(initial, 0, [&](const Args& args) { SmallBlocks<Pml>::run(args, order); });
  };
  const Order pairs{[](int k) { return k ^ 1; }}, late{[](int k) { return k > 0 ? k - 1 : 0; }};
  Order shifted, backwards;
  constexpr int R = stencil_radius;
  shifted.slot = [](int phase) { return (phase + 1) % R; };  // the slots turn all the same
  backwards.slot = [](int phase) { return R - 1 - phase; };
  CHECK(inner({}) <= 1e-6);
  CHECK(inner(shifted) <= 1e-6);
  for (const Order& order : {pairs, late, backwards}) {
    CHECK(inner(order) > 1e-3);
    CHECK(pml(order).u_next > 1e-3);
    CHECK(pml(order).phi > 1e-3);
  }
}

TEST_CASE("The exchange of y and z changes the field by roundings alone", "[shapes]") {
  const int region = GENERATE(0, 1, 2, 3, 4, 5);
  CAPTURE(region);
  const Fields initial({37, 29, 23}, 5, 13);
  const Errors errors = pml_errors(initial, region, [region](const Args& args) {
    const Args exchanged = marching_along_the_slab(args);
    const bool is_across_z = region < 2;
    CHECK(exchanged.box.extent().y == (is_across_z ? args.box.extent().z : args.box.extent().y));
    run_reference<Pml>(exchanged);
  });
  CHECK(errors.u_next <= 1e-6);
  CHECK(errors.phi <= 1e-6);
}

TEST_CASE("The exchange of y and z takes the inner box along", "[shapes]") {
  Fields f({37, 29, 23}, 5, 13);
  const Args args = f.args(f.regions.pml[0]);
  const Args exchanged = marching_along_the_slab(args);
  CHECK(exchanged.box == Box3{{0, 0, 0}, {37, 5, 29}});
  CHECK(exchanged.inner == Box3{{5, 5, 5}, {32, 18, 24}});
  CHECK(exchanged.layout.index(1, 3, 2) == args.layout.index(1, 2, 3));
}

TEST_CASE("A few planes of a slab of the PML march as all of it does", "[shapes]") {
  Fields f({37, 29, 23}, 5, 13);
  for (int region = 0; region < 6; ++region) {
    const Args whole = f.args(f.regions.pml[region], region);
    Args part = whole;
    part.box.end.z = part.box.begin.z + 2;
    CAPTURE(region);
    CHECK((marching_along_the_slab(part).layout.stride_y == part.layout.stride_y) ==
          (marching_along_the_slab(whole).layout.stride_y == whole.layout.stride_y));
  }
}

namespace {

/// Points of a box at which the damping of a thread's points is not, to the bit, that of the point.
template <int W, int H>
int wrong_damping(const Args& args) {
  const Box3& box = args.box;
  const Index3 first = first_of_vectors(box, args.layout);
  int wrong = 0;
  for (int y = first.y; y < box.end.y; y += H) {
    for (int x = first.x; x < box.end.x; x += W) {
      DampingOfPoints<Pml, W, H> kept(args, {x, y, first.z});
      for (int z = box.begin.z; z < box.end.z; ++z) {
        kept.set_plane(args, z);
        for (int j = 0; j < H; ++j) {
          for (int i = 0; i < W; ++i) {
            const Index3 p{x + i, y + j, z};
            if (!box.contains(p)) continue;
            const EtaValues<float> eta = eta_of_profiles(args, p);
            const Damping<float> damping = Damping<float>::of(eta.eta, args.alpha);
            const auto gradient = EtaGradient<float>::of(args, eta), got = kept.gradient(i, j);
            const Damping<float>& at = kept.damping[j][i];
            wrong += at.minus_eta2 != damping.minus_eta2 || at.minus_loss != damping.minus_loss ||
                     at.inverse_2eta != damping.inverse_2eta || got.x != gradient.x || got.y != gradient.y ||
                     got.z != gradient.z;
          }
        }
      }
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("The damping that a thread keeps is that of its points, in the corners too", "[shapes]") {
  const SmallDomain grid =
      GENERATE(SmallDomain{{37, 29, 23}, 5}, SmallDomain{{40, 31, 34}, 8}, SmallDomain{{11, 43, 14}, 3});
  Fields f(grid.n, grid.pml_width, 3);
  for (int region = 0; region < 6; ++region) {
    const Args args = f.args(f.regions.pml[region], region);
    const Args along_slab = marching_along_the_slab(args);
    CAPTURE(grid.n.x, region);
    CHECK(wrong_damping<4, 1>(args) == 0);
    CHECK(wrong_damping<4, 2>(args) == 0);
    CHECK(wrong_damping<4, 4>(along_slab) == 0);
    CHECK(wrong_damping<4, 2>(along_slab) == 0);
  }
  const Extent3 n = f.grid.n;
  CHECK(wrong_damping<4, 2>(f.args({{0, 0, 0}, {n.x, n.y, n.z}})) == 0);  // a launch over the whole grid
}
