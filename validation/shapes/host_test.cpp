/// Every registered shape on the host: inner box and six PML regions, on extents that no tile divides,
/// against `reference`. What an update must not read is NaN, and so is shared memory before it is filled.
#include <algorithm>
#include <cmath>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/host/host_block.hpp"
#include "kernels/registry.hpp"
#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/in_plane.hpp"
#include "kernels/shapes/st_reg.hpp"
#include "kernels/shapes/st_smem.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/field_set.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

using Fields = FieldSet<float>;

/// One step of all seven launches.
void step(Fields& f, const LaunchPlanners& inner, const LaunchPlanners& pml) {
  run_once(inner.inner, f.args(f.regions.inner));
  for (int region = 0; region < 6; ++region) run_once(pml.pml, f.args(f.regions.pml[region], region));
}

/// Spreads the auxiliary field of PML region i over a field of the whole grid.
void copy_phi(const Fields& f, int i, std::vector<float>& phi) {
  const Box3& box = f.regions.pml[i];
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      for (int x = box.begin.x; x < box.end.x; ++x) {
        phi[f.grid.layout.index(x, y, z)] = f.phi[f.phi_layouts[i].index(x, y, z)];
      }
    }
  }
}

struct Case {
  Extent3 n;
  int pml_width;
};

}  // namespace

TEST_CASE("Every shape agrees with the reference on the host", "[shapes]") {
  const Case extents = GENERATE(Case{{37, 29, 23}, 5}, Case{{67, 35, 19}, 6}, Case{{11, 43, 14}, 3},
                                Case{{9, 9, 9}, 0}, Case{{41, 10, 33}, 3});
#ifdef __SANITIZE_ADDRESS__
  if (extents.n.x == 37)
    return;  // slow under the sanitizers, and several odd tiles are in the other boxes, too
#endif
  const Fields initial(extents.n, extents.pml_width, 7);
  Fields expected = initial;
  const LaunchPlanners& reference = find_shape("reference").host;
  step(expected, reference, reference);
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.inner) continue;
    CAPTURE(shape.name, extents.n.x, extents.n.y, extents.n.z);
    Fields f = initial;
    step(f, shape.host, shape.host);
    CHECK(f.first_wrong(expected, 1e-6) == "");
    CHECK(f.difference_of_u_next(expected) <= 1e-6);
    CHECK(relative_difference(f.phi, expected.phi) <= 1e-6);
    CHECK(same_bits(f.u, initial.u));
  }
}

TEST_CASE("One launch with both formulas gives what seven give", "[shapes]") {
  const Fields initial({37, 29, 23}, 5, 9);
  Fields expected = initial;
  const LaunchPlanners& reference = find_shape("reference").host;
  step(expected, reference, reference);
  const Box3 whole{{0, 0, 0}, {37, 29, 23}};
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.mixed) continue;
    CAPTURE(shape.name);
    Fields one = initial, outer = initial;
    std::vector<float> phi(initial.u.size());
    for (Fields* f : {&one, &outer}) {
      for (int i = 0; i < 6; ++i) copy_phi(initial, i, phi);
      auto args = f->args(whole);
      args.inner = f->regions.inner;
      args.updates_inner = f == &one;
      args.phi = phi.data();
      args.phi_layout = f->grid.layout;
      run_once(shape.host.mixed, args);
    }
    CHECK(one.difference_of_u_next(expected) <= 1e-6);
    run_once(shape.host.inner, outer.args(outer.regions.inner));
    CHECK(same_bits(outer.u_next, one.u_next));
  }
}

TEST_CASE("Shapes whose sums are called alike give the same bits", "[shapes]") {
  const Fields initial({37, 29, 23}, 5, 11);
  std::map<std::string, Fields> expected;
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.pml || !(shape.is_default_tile || shape.tile.x == 0)) continue;  // one of a family
    CAPTURE(shape.name, shape.sums);
    Fields f = initial;
    step(f, shape.host, shape.needs.eta_field ? find_shape("reference").host : shape.host);
    const auto [first, is_new] = expected.try_emplace(shape.sums, f);
    CHECK(same_bits(f.u_next, first->second.u_next));
    CHECK(same_bits(f.phi, first->second.phi));
  }
  CHECK(expected.size() == 4);  // star, semi, st_semi, in_plane
}

TEST_CASE("A launch writes only the points of its box", "[shapes]") {
  const Fields initial({37, 29, 23}, 5, 3);
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.pml) continue;
    CAPTURE(shape.name);
    Fields f = initial;
    const Box3 box{{5, 7, 6}, {30, 20, 17}};
    run_once(shape.host.inner, f.args(box));
    for (int z = 0; z < f.grid.n.z; ++z) {
      for (int y = 0; y < f.grid.n.y; ++y) {
        for (int x = 0; x < f.grid.n.x; ++x) {
          const std::int64_t i = f.grid.layout.index(x, y, z);
          if (box.contains({x, y, z})) f.u_next[i] = initial.u_next[i];
        }
      }
    }
    CHECK(same_bits(f.u_next, initial.u_next));
  }
}

TEST_CASE("st_reg_shift is st_reg_shft", "[shapes]") {
  CHECK(&find_shape("st_reg_shift_16x64") == &find_shape("st_reg_shft_16x64"));
  CHECK(find_shape("st_reg_shift").name == find_shape("st_reg_shft").name);
}

TEST_CASE("The names of all shapes differ, and a family has a default", "[shapes]") {
  for (const CodeShape& shape : all_shapes()) {
    CAPTURE(shape.name);
    CHECK(&find_shape(shape.name) == &shape);
    CHECK(find_shape(shape.family).family == shape.family);
  }
}

namespace {

/// Forgets every barrier, or every second one.
template <int Period, int Kept>
class ForgetfulBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  void sync() const {
    if (count_++ % Period < Kept) HostBlock::sync();
  }

 private:
  mutable int count_ = 0;
};

/// Waits for all groups of asynchronous copies but the latest `Missed`.
template <int Missed>
class HastyBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  template <int Pending>
  void wait() const {
    HostBlock::wait<Pending + Missed>();
  }
};

/// Leaves every group of asynchronous copies open.
class OpenBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  void commit() const {}
};

/// Greatest relative error of the shape on blocks of that kind over several orders of the threads.
template <class Block, class Shape = StRegFixed<InnerUpdate<float>, 16, 8>>
double error_on() {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Fields expected({37, 29, 23}, 5, 5), f = expected;
    run_once(find_shape("reference").host.inner, expected.args(expected.regions.inner));
    run_on_host<Shape, WaveArgs<float>, Block>(f.args(f.regions.inner), seed);
    worst = std::max(worst, f.difference_of_u_next(expected));
  }
  return worst;
}

}  // namespace

TEST_CASE("A shape that forgets a barrier is found out", "[shapes]") {
  CHECK(error_on<HostBlock>() <= 1e-6);
  CHECK(error_on<ForgetfulBlock<1, 0>>() > 1e-3);  // no barrier
  CHECK(error_on<ForgetfulBlock<2, 1>>() > 1e-3);  // none before the plane is filled again
  CHECK(error_on<ForgetfulBlock<1, 0>, StSmem<InnerUpdate<float>, 16, 8>>() > 1e-3);
  CHECK(error_on<ForgetfulBlock<2, 1>, InPlaneFull<InnerUpdate<float>, 8, 8, 2, 1>>() > 1e-3);
}

TEST_CASE("A shape that forgets a barrier or a wait of its asynchronous copies is found out", "[shapes]") {
  using Shape = StRegFixedDb<InnerUpdate<float>, 16, 8>;
  CHECK(error_on<HostBlock, Shape>() <= 1e-6);
  CHECK(error_on<ForgetfulBlock<1, 0>, Shape>() > 1e-3);
  CHECK(error_on<ForgetfulBlock<2, 1>, Shape>() > 1e-3);
  CHECK(error_on<HastyBlock<1>, Shape>() > 1e-3);
  CHECK(error_on<HastyBlock<1000>, Shape>() > 1e-3);  // no wait at all
  CHECK(error_on<OpenBlock, Shape>() > 1e-3);
}

TEST_CASE("An asynchronous copy is made by the wait for its group, in order", "[shapes]") {
  AsyncCopies copies;
  const float from[3] = {1, 2, 3};
  float to[3] = {};
  for (int i = 0; i < 3; ++i) {
    copies.start(&to[i], &from[i], sizeof(float));
    copies.commit();
  }
  CHECK((std::isnan(to[0]) && std::isnan(to[2])));
  copies.wait(2);
  CHECK((to[0] == 1 && std::isnan(to[1])));
  copies.wait(2);
  CHECK(std::isnan(to[1]));
  copies.wait(0);
  CHECK((to[1] == 2 && to[2] == 3));
}

namespace {

/// Reads shared memory that no thread has written, at one point.
struct Unfilled : ShapeDefaults {
  static constexpr const char* family = "unfilled";
  static constexpr Extent3 tile{4, 4, 0}, threads{4, 4, 1};
  struct Shared {
    float value;
  };
  static Extent3 blocks(const Box3& box) { return blocks_covering(box.extent(), tile); }
  template <class Block>
  void operator()(const Block& block, const WaveArgs<float>& args, Shared& shared) const {
    const Index3 p = tile_point(args.box.begin, tile, block.index(), block.thread());
    if (p == Index3{11, 9, args.box.begin.z}) args.u_next[args.layout.index(p.x, p.y, p.z)] = shared.value;
  }
};

/// A thread of the block (1, 0) returns where the others wait.
struct Leaving : Unfilled {
  static constexpr const char* family = "leaving";
  template <class Block>
  void operator()(const Block& block, const WaveArgs<float>&, Shared&) const {
    if (block.index().x == 1 && block.thread().x == 2) return;
    block.sync();
  }
};

}  // namespace

TEST_CASE("A wrong value is told with its region, extents, point and both values", "[shapes]") {
  Fields expected({37, 29, 23}, 5, 5), f = expected;
  CHECK(f.first_wrong(expected, 1e-6).empty());
  run_on_host<Unfilled, WaveArgs<float>>(f.args(f.regions.inner));
  const std::string told = f.first_wrong(expected, 1e-6);
  CAPTURE(told);
  CHECK(told.rfind("inner, 27 x 19 x 13 points, first wrong point (11, 9, 5): ", 0) == 0);
  CHECK(told.find("nan, not ") != std::string::npos);
  f = expected;
  run_on_host<Unfilled, WaveArgs<float>>(f.args({{8, 8, 20}, {12, 12, 22}}));
  CHECK(f.first_wrong(expected, 1e-6).rfind("bottom, 37 x 29 x 5 points, ", 0) == 0);
}

TEST_CASE("An emulated block that a thread leaves names its shape, tile and number", "[shapes]") {
  Fields f({37, 29, 23}, 5, 5);
  const Outcome outcome = outcome_of([&] { run_on_host<Leaving, WaveArgs<float>>(f.args(f.regions.inner)); });
  CAPTURE(outcome.message);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("leaving, tile 4x4: threads of block (1, 0, 0) ended while others wait at a barrier"));
}

TEST_CASE("A thread that leaves before a barrier is found out", "[shapes]") {
  FiberBlock block(4);
  const auto body = [&](int thread) {
    if (thread != 2) block.sync();
  };
  CHECK_THROWS_AS(block.run(body, 0), std::logic_error);
}
