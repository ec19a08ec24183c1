/// The source of `tma_whole` on fields in chunks, emulated on the host, against the same on rows: to the same
/// bits, whatever sides the hash tells.
#include <bit>
#include <cstring>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/cases/means/field_comparison.hpp"
#include "validation/shapes/emulated_whole.hpp"

using namespace minimod;

namespace {

/// The fields of a launch in chunks. Beyond the grid they are at rest along x and y.
struct FieldsInChunks {
  ChunkLayout at;
  Grid grid;
  std::vector<float> values[7];
  FieldPages pages[7];  ///< pages of the fields, anywhere in memory

  FieldsInChunks(WholeFields& rows, unsigned hash) : at(rows.grid.n, hash & 0xff, 0x1eb), grid(rows.grid) {
    for (FieldPages& of_field : pages) {
      hash = hash * 1103515245 + 12345;
      of_field = {hash >> 16 & 0x1ff, hash ^ hash >> 11};
    }
    int number = 0;
    for (const auto* field :
         {&rows.u, &rows.u_before, &rows.v2dt2, &rows.phi, &rows.u_next, &rows.u_second, &rows.phi_next}) {
      values[number].assign(at.size(), 0);
      const int halo = number == 0 ? grid.radius : 0;
      for_all(number, halo,
              [&](std::int64_t here, std::int64_t there) { values[number][here] = (*field)[there]; });
      ++number;
    }
  }
  template <class Visit>
  void for_all(int number, int halo, const Visit& visit) const {
    for (int z = -halo; z < grid.n.z + halo; ++z) {
      for (int y = 0; y < grid.n.y; ++y) {
        for (int x = 0; x < grid.n.x; ++x)
          visit(ChunksOfField{at, pages[number]}.index(x, y, z), grid.layout.index(x, y, z));
      }
    }
  }
  template <int R>
  [[nodiscard]] DomainArgsOf<R> args(WholeFields& rows) {
    DomainArgsOf<R> args = rows.args<R>();
    args.u = values[0].data();
    args.u_before = values[1].data();
    args.v2dt2 = values[2].data();
    args.phi = values[3].data();
    args.u_next = values[4].data();
    args.u_second = values[5].data();
    args.phi_next = values[6].data();
    return args;
  }
  [[nodiscard]] SideArgs sides() const {
    return {at, {pages[0], pages[1], pages[2], pages[4], pages[5], pages[3], pages[6]}};
  }
  /// Values of the grid's points that have other bits than in rows.
  [[nodiscard]] int differing(int number, const std::vector<float>& rows) const {
    int count = 0;
    for_all(number, 0, [&](std::int64_t here, std::int64_t there) {
      const float a = values[number][here], b = rows[there];
      count += std::memcmp(&a, &b, sizeof a) == 0 ? 0 : 1;
    });
    return count;
  }
};

}  // namespace

TEST_CASE("A chunk layout has a place of its own for each point, and halves on either side", "[shapes]") {
  for (const Extent3 n :
       {Extent3{61, 30, 5}, Extent3{130, 61, 3}, Extent3{200, 17, 2}, Extent3{900, 1200, 2}}) {
    for (const unsigned hash : {0U, 0x55U, 0xffU}) {
      const unsigned page_bits = hash == 0 ? 0 : 0x1eb;
      const FieldPages pages{hash * 2, hash};
      const ChunksOfField field{ChunkLayout(n, hash, page_bits), pages};
      const ChunkLayout& at = field.at;
      std::vector<char> taken(at.size(), 0);
      int twice = 0, elsewhere = 0;
      for (int z = 0; z < n.z; ++z) {
        for (int y = 0; y < n.y; ++y) {
          for (int x = 0; x < n.x; ++x) {
            const std::int64_t place = field.index(x, y, z);
            twice += taken[place]++ != 0 ? 1 : 0;
            // The side of 4 KiB as the hardware has it: its lowest bit, those of the hash, and the page's.
            const std::int64_t chunk = place / 1024, in_page = chunk % 512, page = chunk / 512 + pages.first;
            const int side = std::popcount(static_cast<unsigned>(in_page) & (hash << 1 | 1)) +
                             std::popcount(static_cast<unsigned>(page) & page_bits) +
                             static_cast<int>(pages.blocks >> page / 512 & 1);
            elsewhere += (side & 1) == (x / ChunkLayout::width >= at.left ? 1 : 0) ? 0 : 1;
          }
        }
      }
      CAPTURE(n.x, n.y, hash);
      CHECK(twice == 0);
      CHECK(elsewhere == 0);
    }
  }
}

TEST_CASE("Planes that a slab shares lie alike, whatever the sides", "[shapes]") {
  const Extent3 n{200, 35, 20};
  ChunkLayout at(n, 0x55, 0x1eb);
  at.change_within(6, 17);
  const ChunksOfField field{at, {3, 5}};
  std::vector<char> taken(at.size(), 0);
  int changed = 0, twice = 0, moved = 0;
  for (int z = -stencil_radius; z < n.z + stencil_radius; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        const std::int64_t place = field.index(x, y, z);
        twice += taken[place]++ != 0 ? 1 : 0;
        (z >= 6 && z < 17 ? changed : moved) += place == at.index(x, y, z) ? 0 : 1;
      }
    }
  }
  CHECK(changed > 0);
  CHECK(twice == 0);
  CHECK(moved == 0);
  at.change_within(12, 9);  // all planes are shared
  CHECK(at.in_field(9 * at.plane, {3, 5}) == 9 * at.plane);
}

namespace {

template <int R>
void check_bits(const EmulatedCase& given, unsigned hash) {
  const auto& [n, widths, source, most_blocks, rounds, chunks, surface] = given;
  WholeFields rows(n, widths, source, surface, R);
  FieldsInChunks found(rows, hash);
  run_emulated<TmaWholeOf<R>>(rows.args<R>(), most_blocks, 3);
  const RoundWalk walk =
      run_emulated<TmaWholeChunksOf<R>>(found.args<R>(rows), most_blocks, 5, found.sides());
  CAPTURE(R, n.x, n.y, n.z, most_blocks, walk.count, walk.rounds[0].chunks);
  CHECK((walk.count == rounds && walk.rounds[0].chunks == chunks));
  CHECK(rows.status == 0);
  CHECK(found.differing(4, rows.u_next) == 0);
  CHECK(found.differing(5, rows.u_second) == 0);
  CHECK(found.differing(6, rows.phi_next) == 0);
}

template <int R>
void check_bits_of_one_step(const EmulatedCase& given, unsigned hash) {
  using Shape = TmaWholeStepChunksOf<R>;
  WholeFields rows(given.n, given.widths, given.source, given.surface, R);
  FieldsInChunks found(rows, hash);
  std::vector<std::int64_t> receivers;
  std::vector<float> expected, recorded;
  for (std::int64_t i = 0; i < given.n.points(); i += 97) {
    const Index3 p = unflatten(i, given.n);
    receivers.push_back(found.at.index(p.x, p.y, p.z));
    expected.push_back(rows.u[rows.grid.layout.index(p.x, p.y, p.z)]);
  }
  recorded.assign(expected.size(), nan_value);
  DomainArgsOf<R> args = in_place(found.args<R>(rows));
  args.shot.receivers = receivers.data();
  args.shot.recorded = recorded.data();
  args.shot.receiver_count = static_cast<int>(receivers.size());
  run_emulated<typename Shape::Whole>(in_place(rows.args<R>()), given.most_blocks, 3);
  const RoundWalk walk = run_emulated<Shape>(args, given.most_blocks, 5, found.sides());
  CAPTURE(R, given.n.x, given.n.y, given.n.z, given.most_blocks, walk.count, walk.rounds[0].chunks);
  CHECK((walk.count == given.rounds && walk.rounds[0].chunks == given.chunks));
  CHECK(rows.status == 0);
  CHECK(recorded == expected);
  CHECK(found.differing(1, rows.u_before) == 0);
  CHECK(found.differing(3, rows.phi) == 0);
}

}  // namespace

TEST_CASE("tma_whole_step has the same bits in chunks as in rows", "[shapes]") {
  const auto check_all = []<int R>(unsigned hash) {
    check_bits_of_one_step<R>({{61, 30, 25}, same_on_all_faces(7), {{30, 14, 3}, {31, 15, 4}}, 1, 1, 1},
                              hash);
    check_bits_of_one_step<R>({{130, 97, 60}, same_on_all_faces(3), {{60, 28, 10}, {68, 36, 18}}, 3, 2, 1},
                              hash * 3);
    check_bits_of_one_step<R>({{62, 29, 150}, same_on_all_faces(27), {{30, 12, 46}, {38, 20, 54}}, 3, 1, 3},
                              hash * 5);
    check_bits_of_one_step<R>({{70, 20, 41}, {5, 6, 7, 4, 0, 5}, {}, 2, 1, 1, true}, hash * 7);
    // More columns of chunks than blocks: rounds along x.
    check_bits_of_one_step<R>({{262, 20, 41}, same_on_all_faces(3), {}, 3, 2, 1}, hash * 9);
  };
  check_all.template operator()<1>(0x1b5);
  check_all.template operator()<2>(0x653);
  check_all.template operator()<3>(0x3c7);
  check_all.template operator()<4>(0x9d1);
}

TEST_CASE("tma_whole has the same bits in chunks as in rows", "[shapes]") {
  const Box3 node{{30, 14, 3}, {31, 15, 4}}, nowhere{};
  const std::vector<EmulatedCase> cases{
      {{61, 30, 25}, same_on_all_faces(7), node, 1, 1, 1},
      {{130, 61, 33}, same_on_all_faces(5), {{60, 28, 10}, {68, 36, 18}}, 6, 1, 1},
      {{62, 50, 90}, same_on_all_faces(3), {{20, 20, 40}, {28, 28, 48}}, 1, 2, 1},  // two rounds along y
      {{40, 61, 190}, same_on_all_faces(4), {{1, 24, 58}, {9, 32, 66}}, 7, 1, 3},   // chunks of planes
      {{262, 20, 41}, same_on_all_faces(3), nowhere, 3, 2, 1},  // more columns than blocks
      {{70, 53, 41}, {0, 9, 5, 0, 0, 12}, nowhere, 4, 1, 1},
      {{70, 41, 29}, {5, 6, 7, 4, 0, 5}, {{30, 14, 0}, {38, 22, 6}}, 4, 1, 1, true}};
  unsigned hash = 0x1b5;
  for (const EmulatedCase& given : cases) {
    check_bits<stencil_radius>(given, hash);
    hash = hash * 1103515245 + 12345;
  }
  for (const std::size_t of_case : {1, 2, 6}) {
    check_bits<1>(cases[of_case], hash);
    check_bits<2>(cases[of_case], hash + 1);
    check_bits<3>(cases[of_case], hash + 2);
  }
}
