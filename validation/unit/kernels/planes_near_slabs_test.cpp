/// The parts of a march near the slabs and ends, and that each of its planes finds its own place in the
/// table.
#include "kernels/whole/planes_near_slabs.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/shape.hpp"

using namespace minimod;

namespace {

constexpr int places = 368;

struct Depth {
  int begin, inner_begin, inner_end, end;
};

bool damps(const Depth& depth, int z) {
  return (z >= depth.begin && z < depth.inner_begin) || (z >= depth.inner_end && z < depth.end);
}

/// Whether a place stands for a plane: it is of the plane, or both are of planes where nothing damps, nor at
/// their neighbours.
template <int R>
bool stands_for(const PlanesNearSlabs<R>& near, const Depth& depth, int place, int z) {
  if (place < 0 || place >= places) return false;
  const int there = near.plane_at(place);
  if (there == z) return true;
  for (const int plane : {z, there}) {
    if (damps(depth, plane - 1) || damps(depth, plane) || damps(depth, plane + 1)) return false;
  }
  return true;
}

/// Planes whose place is wrong, and arrivals of free planes that are not free or not its own.
template <int R>
int wrong_planes(const PlanesNearSlabs<R>& near, const Depth& depth, const March& march,
                 const MarchParts& parts) {
  int wrong = 0;
  for (int i = 0; i < march.arrivals; ++i) {
    const int arrives = march.from + i - R, completed = arrives - R;
    if (i >= parts.free && i < parts.last) {
      wrong += completed < march.own_from || arrives >= march.own_to ? 1 : 0;
      wrong += damps(depth, completed) || damps(depth, arrives) ? 1 : 0;
      continue;
    }
    const int offset = i < parts.free ? parts.first_offset : parts.last_offset;
    for (int z = completed; z <= arrives; ++z) wrong += stands_for(near, depth, z + offset, z) ? 0 : 1;
  }
  return wrong;
}

template <int reach>
void check_places(int width, int planes, int begin) {
  const Depth depth{begin, begin + width, begin + planes - (width == 40 ? 0 : width), begin + planes};
  const PlanesNearSlabs<reach> near{depth.begin, depth.inner_begin, depth.inner_end, places};
  for (int chunks = 1; chunks <= 8; ++chunks) {
    const int own = ceil_div(planes, chunks), marched = ceil_div(own + 2 * reach, 4) * 4;
    if (own < 2 * reach) break;  // never cut so
    int possible = 0, wrong = 0;
    for (int chunk = 0; chunk < chunks && chunk * own < planes; ++chunk) {
      const int from = begin + chunk * own;
      const March march{from - (chunk > 0 ? reach : 0), from, std::min(from + own, depth.end),
                        marched + 2 * reach};
      const MarchParts parts = near.parts(march);
      if (!parts.is_possible) continue;
      ++possible;
      wrong += wrong_planes(near, depth, march, parts);
    }
    CAPTURE(reach, width, planes, begin, chunks);
    CHECK(wrong == 0);
    if (chunks == 1)
      CHECK((possible == 1 || planes > 2 * width + 2 * PlanesNearSlabs<reach>::free_planes || planes > 300));
    if (width <= 27 && own >= 60) CHECK(possible == ceil_div(planes, own));
  }
}

}  // namespace

TEST_CASE("Every plane near a slab or an end of a march has its place in the table", "[unit]") {
  const int width = GENERATE(0, 1, 7, 27, 40, 130), planes = GENERATE(9, 41, 100, 150, 257, 1000);
  const int begin = GENERATE(0, 3);
  if (2 * width >= planes) return;
  check_places<1>(width, planes, begin);
  check_places<2>(width, planes, begin);
  check_places<3>(width, planes, begin);
  check_places<stencil_radius>(width, planes, begin);
}
