/// The source of `tma_whole_step`, emulated on the host, against the reference and against `tma_whole`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/emulated_whole.hpp"

using namespace minimod;

namespace {

using OneStep = TmaWholeStep<32, 8, 4, 3, 3>;
using OneStepSquare = TmaWholeStepSquare<stencil_radius>;
using OneStepWide = TmaWholeStep<50, 5, 4, 3, 3>;  // six threads without points

template <int R = stencil_radius>
DomainArgsOf<R> args_in_place(WholeFields& fields) {
  return in_place(fields.args<R>());
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

template <class Shape>
void check_one_step(const EmulatedCase& given) {
  constexpr int R = Shape::R;
  WholeFields expected(given.n, given.widths, given.source, given.surface, R),
      found(given.n, given.widths, given.source, given.surface, R);
  run_reference<MixedUpdate<float, R>>(args_in_place<R>(expected));
  add_source(args_in_place<R>(expected));
  std::vector<std::int64_t> receivers;
  for (std::int64_t i = 0; i < given.n.points(); i += 97) {
    const Index3 p = unflatten(i, given.n);
    receivers.push_back(found.grid.layout.index(p.x, p.y, p.z));
  }
  std::vector<float> recorded(receivers.size() + 1, nan_value);
  DomainArgsOf<R> args = args_in_place<R>(found);
  args.shot.receivers = receivers.data();
  args.shot.recorded = recorded.data();
  args.shot.receiver_count = static_cast<int>(receivers.size());
  const RoundWalk walk = run_emulated<Shape>(args, given.most_blocks, 3);
  CAPTURE(R, Shape::width, given.n.x, given.n.y, given.n.z, given.most_blocks, walk.count,
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

TEST_CASE("tma_whole_step of lower orders, emulated on the host, computes a step", "[shapes]") {
  const auto check_all = []<int R>() {
    using Square = typename OneStepSquare::template WithRadius<R>;
    using Wide = typename OneStepWide::template WithRadius<R>;
    check_one_step<TmaWholeStep<32, 8, 4, 3, 3, R>>(
        {{262, 65, 70}, same_on_all_faces(3), {{130, 30, 30}, {131, 31, 31}}, 3, 3, 1});
    check_one_step<TmaWholeStep<32, 8, 4, 3, 3, R>>(
        {{127, 29, 150}, same_on_all_faces(27), {{60, 12, 46}, {68, 20, 54}}, 3, 1, 3});
    check_one_step<Square>({{131, 67, 41}, {5, 6, 7, 4, 0, 5}, {}, 4, 2, 1, true});
    check_one_step<Wide>({{203, 41, 29}, {5, 6, 7, 4, 0, 5}, {}, 4, 2, 1, true});
  };
  check_all.template operator()<1>();
  check_all.template operator()<2>();
  check_all.template operator()<3>();
}

TEST_CASE("tma_whole_step of higher orders, emulated on the host, computes a step", "[shapes]") {
  const auto check_all = []<int R>() {
    using Tile = OneStep::WithRadius<R>;
    const int rounds = ceil_div(97, Tile::height);
    check_one_step<Tile>({{134, 97, 70}, same_on_all_faces(3), {{70, 50, 30}, {71, 51, 31}}, 3, rounds, 1});
    check_one_step<Tile>({{62, 29, 150}, same_on_all_faces(27), {{30, 12, 46}, {38, 20, 54}}, 3, 1, 3});
    check_one_step<Tile>({{67, 51, 41}, {5, 6, 7, 4, 0, 5}, {}, 4, 1, 1, true});
  };
  check_all.template operator()<5>();
  check_all.template operator()<6>();
  check_all.template operator()<8>();
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
