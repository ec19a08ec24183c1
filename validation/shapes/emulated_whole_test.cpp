/// The source of `tma_whole` and `tma_whole_step`, emulated on the host, against the reference: all rounds,
/// chunks and forms of its loop, with the copies of its engine as late as they may be and NaN in what nobody
/// has written.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "boundary/pml_profile.hpp"
#include "boundary/regions.hpp"
#include "kernels/free_surface.hpp"
#include "kernels/host/emulated_block.hpp"
#include "kernels/shapes/reference.hpp"
#include "kernels/whole/tma_whole_pass.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/sparse_field.hpp"

using namespace minimod;

namespace {

using OneStep = TmaWholeStep<32, 8, 4, 3, 3>;
using OneStepSquare = TmaWholeStep<16, 16, 4, 3, 3>;
using OneStepWide = TmaWholeStep<50, 5, 4, 3, 3>;  // six threads without points

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// The fields of a launch. Outside the grid u and φ are at rest, and nothing else may be read.
struct WholeFields {
  Grid grid;
  Regions regions;
  std::vector<float> u, u_before, v2dt2, phi, u_next, u_second, phi_next, eta_x, eta_y, eta_z, shares;
  Box3 source;
  bool has_surface;
  float sample = 0.5F, second_sample = -0.75F;
  unsigned status = 0;

  WholeFields(Extent3 n, PmlWidths widths, const Box3& source_box, bool surface = false)
      : grid(make_grid(n, {20, 15, 12.5}, 0)),
        regions(make_regions(n, widths)),
        source(source_box),
        has_surface(surface) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(-1, 1);
    for (auto* field : {&u_before, &v2dt2}) field->assign(grid.layout.size, nan_value);
    for (auto* field : {&u, &phi, &u_next, &u_second, &phi_next}) field->assign(grid.layout.size, 0);
    const Box3 all{{0, 0, 0}, {n.x, n.y, n.z}};
    for (std::int64_t i = 0; i < all.points(); ++i) {
      const Index3 p = unflatten(i, n);
      const std::int64_t at = grid.layout.index(p.x, p.y, p.z);
      u[at] = value(random);
      u_before[at] = value(random);
      v2dt2[at] = 3 + 2 * value(random);
      if (!regions.inner.contains(p)) phi[at] = 1e-3F * value(random);
      for (auto* field : {&u_next, &u_second, &phi_next}) (*field)[at] = nan_value;
      if (regions.inner.contains(p)) phi_next[at] = 0;
    }
    if (has_surface) close_surface(u.data());
    const auto profile = [](int points, int low, int high, double h) {
      const auto values = make_pml_profile({points, low, high, h}, 4500, 1e-3);
      return std::vector<float>(values.begin(), values.end());
    };
    eta_x = profile(n.x, widths.left, widths.right, 20);
    eta_y = profile(n.y, widths.front, widths.back, 15);
    eta_z = profile(n.z, widths.top, widths.bottom, 12.5);
    for (std::int64_t i = 0; i < source.points(); ++i) shares.push_back(value(random));
  }

  void close_surface(float* field) const {
    for (int y = 0; y < grid.n.y; ++y) {
      for (int x = 0; x < grid.n.x; ++x) OddImage<float>{grid.layout, field}({x, y, 0});
    }
  }

  [[nodiscard]] DomainArgs args() {
    LaunchArgs a(grid);
    a.box = {{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}};
    a.inner = regions.inner;
    a.phi_layout = grid.layout;
    a.u = u.data();
    a.u_before = u_before.data();
    a.u_next = u_next.data();
    a.u_second = u_second.data();
    a.v2dt2 = v2dt2.data();
    a.phi = phi.data();
    a.phi_next = phi_next.data();
    a.eta_x = eta_x.data() + 1;
    a.eta_y = eta_y.data() + 1;
    a.eta_z = eta_z.data() + 1;
    a.has_surface = has_surface;
    a.source = source;
    a.source_shares = shares.data();
    a.source_sample = &sample;
    a.source_second = &second_sample;
    a.status = &status;
    a.shift = 0.01;
    return DomainArgs(a);
  }
};

/// Shared memory of a block.
template <class Shape, class Block>
struct EmulatedMemory {
  using Pass = WholePass<Shape, Block>;
  typename Shape::Shared shared;
  typename Pass::Barriers barriers;
  typename Pass::Profiles profiles;
};

/// The two steps by the reference.
void compute_both(WholeFields& fields) {
  DomainArgs args = fields.args();
  std::copy_n(args.phi, args.layout.size, args.phi_next);
  args.phi = args.phi_next;
  run_reference<MixedUpdate<float>>(args);
  add_source(args);
  if (args.slab.has_surface) fields.close_surface(args.u_next);
  args.u_before = std::exchange(args.u, args.u_next);
  args.u_next = args.u_second;
  run_reference<MixedUpdate<float>>(args);
  args.shot.source_sample = args.shot.source_second;
  add_source(args);
  if (args.slab.has_surface) {  // no launch writes the halos of u⁺⁺
    fields.close_surface(args.u_second);
  }
}

/// Returns its rounds.
template <class Shape = TmaWhole, class Block = EmulatedBlock>
RoundWalk run_emulated(DomainArgs args, int most_blocks, std::uint64_t seed) {
  using Memory = EmulatedMemory<Shape, Block>;
  using Pass = typename Memory::Pass;
  constexpr int threads = Shape::threads.x;
  const RoundWalk walk = plan_whole<Shape>(args, most_blocks);
  std::vector<unsigned> workspace(Pass::workspace_bytes(walk) / sizeof(unsigned));
  args.blocks.workspace = workspace.data();
  WholeMaps<Shape, Block> maps;
  const auto given = whole_args<Shape, Block>(args, walk, maps);
  std::vector<std::unique_ptr<Memory>> memory(walk.blocks());
  for (auto& block : memory) {
    block = std::make_unique<Memory>();
    std::fill_n(reinterpret_cast<float*>(&block->shared), sizeof block->shared / sizeof(float), nan_value);
  }
  EmulatedGrid(walk.blocks(), threads)
      .run(
          [&] {
            Memory& mine = *memory[EmulatedBlock::index()];
            if (EmulatedBlock::thread() == 0) mine.barriers.init();
            Pass::take_profile_z(given, mine.profiles);
            EmulatedBlock::sync_group<0, threads>();
            if (EmulatedBlock::thread() < Pass::computing) {
              Pass::compute(given, mine.shared, mine.barriers, mine.profiles);
            } else {
              Pass::serve(given, mine.shared, mine.barriers);
            }
          },
          seed);
  return walk;
}

/// Arguments of a launch of one step, which puts u⁺ where u⁻ was and φ⁺ where φ was.
DomainArgs args_in_place(WholeFields& fields) {
  DomainArgs args = fields.args();
  args.u_next = fields.u_before.data();
  args.phi_next = nullptr;
  args.slab.has_surface = false;  // closed behind the launch
  return args;
}

/// The values of a field at the points of the grid, and how many around it are neither zero nor NaN.
struct PointsOfField {
  std::vector<float> values;
  int strays = 0;
};
PointsOfField points_of(const WholeFields& fields, const std::vector<float>& field) {
  PointsOfField found;
  const Extent3 n = fields.grid.n;
  for (const float value : field) found.strays += value != 0 && !std::isnan(value) ? 1 : 0;
  for (std::int64_t i = 0; i < n.points(); ++i) {
    const Index3 p = unflatten(i, n);
    found.values.push_back(field[fields.grid.layout.index(p.x, p.y, p.z)]);
    found.strays -= found.values.back() != 0 ? 1 : 0;
  }
  return found;
}

struct EmulatedCase {
  Extent3 n;
  PmlWidths widths;
  Box3 source;
  int most_blocks, rounds, chunks;  ///< figures of the first round
  bool surface = false;
};

}  // namespace

TEST_CASE("tma_whole, emulated on the host, computes two steps of the whole domain", "[shapes]") {
  const Box3 node{{30, 14, 3}, {31, 15, 4}}, nowhere{};
  const PmlWidths one_sided{0, 9, 5, 0, 0, 12};  // as of a slab that goes on above
  const std::vector<EmulatedCase> cases{
      {{61, 30, 25}, same_on_all_faces(7), node, 1, 1, 1},  // one tile, everything near a z slab
      {{130, 61, 33}, same_on_all_faces(5), {{60, 28, 10}, {68, 36, 18}}, 6, 1, 1},  // tiles beside each
                                                                                     // other
      {{62, 50, 90}, same_on_all_faces(3), {{20, 20, 40}, {28, 28, 48}}, 1, 2, 1},   // two rounds along y
      {{95, 31, 90}, same_on_all_faces(3), {{44, 10, 80}, {52, 18, 88}}, 1, 2, 1},   // two rounds along x
      {{117, 53, 41}, one_sided, {{56, 24, 0}, {64, 32, 4}}, 2, 2, 1},  // both; the last of odd extents
      {{63, 29, 150}, same_on_all_faces(6), {{20, 12, 71}, {28, 20, 79}}, 2, 1, 2},  // two chunks
      {{40, 61, 190}, same_on_all_faces(4), {{1, 24, 58}, {9, 32, 66}}, 7, 1, 3},    // three, two rows each
      {{63, 150, 100}, one_sided, nowhere, 4, 2, 1},
      {{70, 41, 29}, {5, 6, 7, 4, 0, 5}, {{30, 14, 0}, {38, 22, 6}}, 4, 1, 1, true},  // a free surface
      {{30, 20, 150},
       {3, 3, 3, 3, 0, 3},
       {{10, 5, 0}, {18, 13, 5}},
       3,
       1,
       3,
       true}};  // a round of four tiles, and one of chunks
  for (const auto& [n, widths, source, most_blocks, rounds, chunks, surface] : cases) {
    WholeFields expected(n, widths, source, surface), found(n, widths, source, surface);
    compute_both(expected);
    const RoundWalk walk = run_emulated(found.args(), most_blocks, 3);
    CAPTURE(n.x, n.y, n.z, most_blocks, walk.count, walk.rounds[0].blocks(), walk.rounds[0].chunks);
    CHECK((walk.count == rounds && walk.rounds[0].chunks == chunks));
    CHECK(found.status == 0);
    if (surface) {  // the halo above it is not the launch's
      for (float* field : {found.u_next.data(), found.u_second.data()}) found.close_surface(field);
    }
    CHECK(relative_l2(found.u_next, expected.u_next) <= 1e-6);
    CHECK(relative_l2(found.u_second, expected.u_second) <= 1e-6);
    CHECK(relative_l2(found.phi_next, expected.phi_next) <= 1e-6);
  }
}

TEST_CASE("What tma_whole computes has the same bits in any order, and whether planes are cut or not",
          "[shapes]") {
  const Extent3 n{40, 29, 150};
  const Box3 source{{1, 20, 47}, {9, 28, 55}};
  WholeFields whole(n, same_on_all_faces(4), source);
  CHECK(run_emulated(whole.args(), 1, 1).rounds[0].chunks == 1);
  for (const int most_blocks : {1, 2, 3}) {
    WholeFields other(n, same_on_all_faces(4), source);
    CHECK(run_emulated(other.args(), most_blocks, 5).rounds[0].chunks == most_blocks);
    CHECK(same_bits(other.u_next, whole.u_next));
    CHECK(same_bits(other.u_second, whole.u_second));
    CHECK(same_bits(other.phi_next, whole.phi_next));
  }
}

namespace {

/// Looks when a block counts itself for others.
struct WatchedBlock : EmulatedBlock {
  static std::function<void()> look;
  static void count_for_others(unsigned* counter) {
    EmulatedBlock::count_for_others(counter);
    look();
  }
};
std::function<void()> WatchedBlock::look;

}  // namespace

TEST_CASE(
    "tma_whole tells when what goes to a neighbour above is stored, and leaves ghosts to the neighbours",
    "[shapes]") {
  struct Given {
    Extent3 n;
    int most_blocks, rounds, chunks;
  };
  // Two rounds; two chunks; a slab as thin as can be; chunks that cut the rim in two.
  for (const auto& [n, most_blocks, rounds, chunks] : {Given{{62, 50, 90}, 1, 2, 1},
                                                       {{63, 29, 150}, 2, 1, 2},
                                                       {{40, 45, 16}, 2, 1, 1},
                                                       {{40, 20, 44}, 4, 1, 4}}) {
    const Box3 source{{20, 10, 2}, {28, 18, 10}};
    const PmlWidths inside{3, 3, 3, 3, 0, 0};
    WholeFields expected(n, inside, source), found(n, inside, source);
    run_emulated(expected.args(), most_blocks, 1);
    constexpr int ghosts = 4, rim = 12;
    DomainArgs args = found.args();
    args.slab.ghosts_above = args.slab.ghosts_below = ghosts;
    unsigned told = 100;
    args.slab.rim_done = &told;
    const auto unstored = [&](int begin, int end) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < n.points(); ++i) {
        const Index3 at = unflatten(i, n);
        if (at.z >= begin && at.z < end)
          count += std::isnan(found.u_second[found.grid.layout.index(at.x, at.y, at.z)]) ? 1 : 0;
      }
      return count;
    };
    const int blocks = counts_of_rim(args, plan_whole<TmaWhole>(args, most_blocks));
    std::int64_t missed = -1;
    WatchedBlock::look = [&] {
      if (told == 100U + blocks) missed = unstored(ghosts, rim);
    };
    const RoundWalk walk = run_emulated<TmaWhole, WatchedBlock>(args, most_blocks, 3);
    CAPTURE(n.x, n.y, n.z, walk.count, walk.rounds[0].chunks, walk.rounds[0].own_planes);
    CHECK((walk.count == rounds && walk.rounds[0].chunks == chunks));
    const std::int64_t plane = std::int64_t{n.x} * n.y;
    if (walk.rounds[0].own_planes < rim) {
      CHECK(blocks == 0);
    } else {
      CHECK(told == 100U + blocks);
      CHECK(missed == 0);
    }
    CHECK(unstored(0, ghosts) == ghosts * plane);
    CHECK(unstored(ghosts, n.z - ghosts) == 0);
    CHECK(unstored(n.z - ghosts, n.z) == ghosts * plane);
    CHECK(same_bits(found.u_next, expected.u_next));
    CHECK(same_bits(found.phi_next, expected.phi_next));
    const auto own = [&](const std::vector<float>& field) {
      return std::vector<float>(field.begin() + found.grid.layout.index(0, 0, ghosts),
                                field.begin() + found.grid.layout.index(0, 0, n.z - ghosts));
    };
    CHECK(same_bits(own(found.u_second), own(expected.u_second)));
  }
}

TEST_CASE("The first step of tma_whole has the same bits in whatever tile a point lies", "[shapes]") {
  // Rounds overlap: what one stores, another may be reading that has stored it, too.
  const Extent3 n{150, 118, 30};
  const PmlWidths widths{5, 5, 7, 7, 6, 6};  // some tiles are free of x and y slabs
  const Box3 source{{90, 94, 2}, {98, 102, 10}};
  WholeFields apart(n, widths, source), at_once(n, widths, source);
  CHECK(run_emulated(apart.args(), 2, 1).count == 7);
  CHECK(run_emulated(at_once.args(), 12, 3).count == 1);
  CHECK(same_bits(at_once.u_next, apart.u_next));
}

namespace {

template <class Shape>
void check_one_step(const EmulatedCase& given) {
  WholeFields expected(given.n, given.widths, given.source, given.surface),
      found(given.n, given.widths, given.source, given.surface);
  run_reference<MixedUpdate<float>>(args_in_place(expected));
  add_source(args_in_place(expected));
  std::vector<std::int64_t> receivers;
  for (std::int64_t i = 0; i < given.n.points(); i += 97) {
    const Index3 p = unflatten(i, given.n);
    receivers.push_back(found.grid.layout.index(p.x, p.y, p.z));
  }
  std::vector<float> recorded(receivers.size() + 1, nan_value);
  DomainArgs args = args_in_place(found);
  args.shot.receivers = receivers.data();
  args.shot.recorded = recorded.data();
  args.shot.receiver_count = static_cast<int>(receivers.size());
  const RoundWalk walk = run_emulated<Shape>(args, given.most_blocks, 3);
  CAPTURE(Shape::width, given.n.x, given.n.y, given.n.z, given.most_blocks, walk.count,
          walk.rounds[0].blocks(), walk.rounds[0].chunks);
  CHECK((walk.count == given.rounds && walk.rounds[0].chunks == given.chunks));
  CHECK(found.status == 0);
  const PointsOfField u = points_of(found, found.u_before), phi = points_of(found, found.phi);
  CHECK(u.strays + phi.strays == 0);
  CHECK(std::isnan(recorded.back()));
  recorded.pop_back();
  CHECK(std::ranges::equal(recorded, receivers, {}, {}, [&](std::int64_t i) { return expected.u[i]; }));
  CHECK(relative_l2(u.values, points_of(expected, expected.u_before).values) <= 1e-6);
  CHECK(relative_l2(phi.values, points_of(expected, expected.phi).values) <= 1e-6);
}

}  // namespace

TEST_CASE("tma_whole_step, emulated on the host, computes a step of the whole domain", "[shapes]") {
  const PmlWidths one_sided{0, 9, 5, 0, 0, 12};
  for (const EmulatedCase& given : std::vector<EmulatedCase>{
           // One tile, everything near a z slab; tiles beside each other; inner tiles and rounds along y; the
           // last of odd extents; chunks.
           {{61, 30, 25}, same_on_all_faces(7), {{30, 14, 3}, {31, 15, 4}}, 1, 1, 1},
           {{130, 61, 33}, same_on_all_faces(5), {{124, 28, 10}, {130, 36, 18}}, 4, 1, 1},
           {{262, 65, 70}, same_on_all_faces(3), {{130, 30, 30}, {131, 31, 31}}, 3, 3, 1},
           {{117, 53, 41}, one_sided, {}, 1, 2, 1},
           {{127, 29, 150}, same_on_all_faces(27), {{60, 12, 46}, {68, 20, 54}}, 3, 1, 3}}) {
    check_one_step<OneStep>(given);
  }
  check_one_step<OneStepSquare>({{131, 67, 41}, {5, 6, 7, 4, 0, 5}, {}, 4, 2, 1, true});
  check_one_step<OneStepWide>({{203, 41, 29}, {5, 6, 7, 4, 0, 5}, {}, 4, 2, 1, true});
  check_one_step<OneStepWide>({{395, 19, 70}, same_on_all_faces(6), {}, 6, 1, 3});
}

TEST_CASE("tma_whole_step gives the bits of the first of two steps, whatever the tiles and pieces",
          "[shapes]") {
  // Where all tiles have points of x or y slabs or none has: a tile without such points meets φ later.
  const Extent3 n{150, 118, 60};
  const PmlWidths widths{5, 5, 7, 7, 6, 12};
  WholeFields two(n, widths, {}), at_once(n, widths, {}), in_pieces(n, widths, {}), square(n, widths, {});
  run_emulated(two.args(), 12, 1);
  run_emulated<OneStep>(args_in_place(at_once), 8, 3);
  run_emulated<OneStepSquare>(args_in_place(square), 6, 5);
  for (const auto& [begin, end] : {std::pair{50, 60}, {0, 20}, {20, 50}}) {
    DomainArgs args = args_in_place(in_pieces);
    args.box.begin.z = begin;
    args.box.end.z = end;
    run_emulated<OneStep>(args, 3, 7);
  }
  const auto expected = points_of(two, two.u_next).values;
  for (const WholeFields* one : {&at_once, &in_pieces, &square})
    CHECK(same_bits(points_of(*one, one->u_before).values, expected));
  CHECK(same_bits(in_pieces.phi, at_once.phi));
}

TEST_CASE("tma_whole has the same bits where fields have 2^32 values and more", "[shapes]") {
  const Extent3 n{70, 21, 17};
  WholeFields dense(n, same_on_all_faces(3), {{60, 2, 7}, {68, 10, 15}});
  DomainArgs args = dense.args();
  const Layout spread = spread_planes(dense.grid.layout, n, (std::int64_t{1} << 29) + 4096);
  REQUIRE(spread.index(n.x, n.y, n.z) > std::int64_t{1} << 33);
  const auto for_all = [&](auto visit) { for_storage(n, dense.grid.layout, spread, visit); };
  std::vector<std::unique_ptr<SparseField>> fields;
  const auto spread_out = [&](const std::vector<float>& values) {
    fields.push_back(std::make_unique<SparseField>(spread.size));
    float* const there = fields.back()->data();
    for_all([&](std::int64_t from, std::int64_t to) { there[to] = values[from]; });
    return there;
  };
  args.layout = args.phi_layout = spread;
  args.u = spread_out(dense.u);
  args.u_before = spread_out(dense.u_before);
  args.v2dt2 = spread_out(dense.v2dt2);
  args.phi = spread_out(dense.phi);
  args.u_next = spread_out(dense.u_next);
  args.u_second = spread_out(dense.u_second);
  args.phi_next = spread_out(dense.phi_next);
  run_emulated(args, 2, 1);
  run_emulated(dense.args(), 2, 1);
  const auto count_wrong = [&](const std::vector<float>& right, const float* found) {
    int wrong = 0;
    for_all([&](std::int64_t at, std::int64_t there) { wrong += found[there] == right[at] ? 0 : 1; });
    return wrong;
  };
  CHECK(count_wrong(dense.u_next, args.u_next) == 0);
  CHECK(count_wrong(dense.u_second, args.u_second) == 0);
  CHECK(count_wrong(dense.phi_next, args.phi_next) == 0);
}

TEST_CASE("tma_whole says why it is refused", "[shapes]") {
  const auto why = [](Extent3 n, int width, std::int64_t values = 0) {
    DomainArgs args;
    args.box = {{0, 0, 0}, {n.x, n.y, n.z}};
    args.inner = make_regions(n, same_on_all_faces(width)).inner;
    args.layout = make_grid(n, {1, 1, 1}, 0).layout;
    if (values > 0) args.layout.size = values;
    return why_refused(args, plan_whole<TmaWhole>(args, 132));
  };
  CHECK(why({1900, 1900, 1900}, 27).empty());  // 2^32.7 values
  CHECK(why({100, 100, 100}, 10, std::int64_t{1} << 34).empty());
  CHECK(why({100, 100, 100}, 10, (std::int64_t{1} << 34) + 1) ==
        "fields of 17179869185 values, more than 2^34");
  CHECK(why({600, 500, 701}, 144).empty());
  CHECK(why({600, 500, 701}, 145) == "z slabs of 290 planes together, more than 288");
  DomainArgs slab;  // the last of a domain that is cut
  slab.box = {{0, 0, 0}, {600, 500, 357}};
  slab.inner = make_regions(slab.box.extent(), {20, 20, 20, 20, 0, 286}).inner;
  slab.layout = make_grid(slab.box.extent(), {1, 1, 1}, 0).layout;
  slab.slab.ghosts_above = 4;
  CHECK(why_refused(slab, plan_whole<TmaWhole>(slab, 132)) ==
        "z slabs of 286 planes together, more than 284");
  CHECK(why({7000, 7000, 20}, 3) == "7000 x 7000 points along x and y, more than 96 rounds have");
}
