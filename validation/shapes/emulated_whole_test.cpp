/// The source of `tma_whole`, emulated on the host, against the reference: all rounds, chunks and forms of
/// its loop, with the copies of its engine as late as they may be.
#include "validation/shapes/emulated_whole.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/sparse_field.hpp"

using namespace minimod;

namespace {

template <int R>
void check_two_steps(const EmulatedCase& given) {
  const auto& [n, widths, source, most_blocks, rounds, chunks, surface] = given;
  WholeFields expected(n, widths, source, surface, R), found(n, widths, source, surface, R);
  compute_both<R>(expected);
  const RoundWalk walk = run_emulated<TmaWholeOf<R>>(found.args<R>(), most_blocks, 3);
  CAPTURE(R, n.x, n.y, n.z, most_blocks, walk.count, walk.rounds[0].blocks(), walk.rounds[0].chunks);
  CHECK((walk.count == rounds && walk.rounds[0].chunks == chunks));
  CHECK(found.status == 0);
  if (surface) {  // the halo above it is not the launch's
    for (float* field : {found.u_next.data(), found.u_second.data()}) found.close_surface(field);
  }
  CHECK(relative_l2(found.u_next, expected.u_next) <= 1e-6);
  CHECK(relative_l2(found.u_second, expected.u_second) <= 1e-6);
  CHECK(relative_l2(found.phi_next, expected.phi_next) <= 1e-6);
}

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
  for (const EmulatedCase& given : cases) check_two_steps<stencil_radius>(given);
}

TEST_CASE("tma_whole of lower orders, emulated on the host, computes two steps", "[shapes]") {
  const auto check_all = []<int R>() {
    // A tile; rounds along y, three of them, and along both; chunks; a free surface.
    check_two_steps<R>({{61, 30, 25}, same_on_all_faces(7), {{30, 14, 3}, {31, 15, 4}}, 1, 1, 1});
    check_two_steps<R>({{62, 82, 41}, same_on_all_faces(3), {{20, 20, 20}, {28, 28, 28}}, 1, 3, 1});
    check_two_steps<R>({{117, 53, 41}, {0, 9, 5, 0, 0, 12}, {{56, 24, 0}, {64, 32, 4}}, 2, 2, 1});
    check_two_steps<R>({{40, 31, 190}, same_on_all_faces(4), {{1, 12, 58}, {9, 20, 66}}, 3, 1, 3});
    check_two_steps<R>({{70, 41, 29}, {5, 6, 7, 4, 0, 5}, {{30, 14, 0}, {38, 22, 6}}, 4, 1, 1, true});
  };
  check_all.template operator()<1>();
  check_all.template operator()<2>();
  check_all.template operator()<3>();
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
  CHECK(why({600, 500, 701}, 140).empty());
  CHECK(why({600, 500, 701}, 141) == "z slabs of 282 planes together, more than 280");
  DomainArgs slab;  // the last of a domain that is cut
  slab.box = {{0, 0, 0}, {600, 500, 357}};
  slab.inner = make_regions(slab.box.extent(), {20, 20, 20, 20, 0, 286}).inner;
  slab.layout = make_grid(slab.box.extent(), {1, 1, 1}, 0).layout;
  slab.slab.ghosts_above = 4;
  CHECK(why_refused(slab, plan_whole<TmaWhole>(slab, 132)) ==
        "z slabs of 286 planes together, more than 276");
  CHECK(why({7000, 7000, 20}, 3) == "7000 x 7000 points along x and y, more than 96 rounds have");
}
