/// Planes of a stencil's arrays that ranks tell each other, and how thin their slabs may be.
#include "src/ranks/stencil_part.hpp"

#include <cstring>

#include <catch2/catch_test_macros.hpp>

#include "src/stencil/language/parser.hpp"
#include "src/stencil/language/shipped.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/base/first_of_two.hpp"

using namespace minimod;
using namespace minimod::stencil;

namespace {

/// Two arrays go on, one over two steps; a third result does not, nor does the weight.
Specification chains() {
  return parse_specification(
      "in float a, before, w; in double b;\nout float s, r; out double d;\n"
      "next before = a; next a = s; next b = d;\n"
      "s[i,j,k] = a[i,j,k+1] + before[i,j,k-3] * w[i,j,k+9];\nr[i,j,k] = a[i,j-1,k];\n"
      "d[i,j,k] = b[i,j,k-1] + b[i,j,k+2];\n",
      "chains.stencil");
}

std::vector<int> planes_of(const DomainCut& cut) {
  std::vector<int> planes;
  for (const Slab& slab : cut.slabs) planes.push_back(slab.planes());
  return planes;
}

}  // namespace

TEST_CASE("Slabs tell each other the planes that are read of what goes on", "[unit]") {
  const Specification specification = chains();
  const auto read = planes_read_of_outputs(specification);
  REQUIRE(read.size() == 2);
  CHECK(specification.arrays[read[0].array].name == "s");
  CHECK((read[0].lower == 3 && read[0].upper == 1));
  CHECK(specification.arrays[read[1].array].name == "d");
  CHECK((read[1].lower == 1 && read[1].upper == 2));
  CHECK(planes_read_of_outputs(find_specification("grad")).empty());
  CHECK(least_planes_of_slab(specification) == 3);
  CHECK(least_planes_of_slab(find_specification("grad")) == 1);
}

TEST_CASE("A slab has the planes that its neighbours read", "[unit]") {
  FirstOfTwo ranks;
  const Specification specification = chains();
  const auto refused = [&](int planes, const std::vector<int>& wanted) {
    return outcome_of([&] {
      static_cast<void>(cut_for(specification, planes, {{}, wanted, {}, false}, ranks));
    });
  };
  CHECK(planes_of(cut_for(specification, 9, {}, ranks)) == std::vector{5, 4});
  CHECK(planes_of(cut_for(specification, 5, {}, ranks)) == std::vector{3, 2});
  CHECK(planes_of(cut_for(specification, 9, {{}, {7, 2}, {}, false}, ranks)) == std::vector{7, 2});
  CHECK(refused(9, {2, 7}).says("the slab of rank 0 has 2 planes, it needs 3 (which a neighbour reads)"));
  CHECK(refused(9, {8, 1}).says("the slab of rank 1 has 1 planes, it needs 2"));
  CHECK(refused(9, {4, 4}).says("the slabs have 8 planes, the grid has 9"));
  CHECK(refused(9, {3, 3, 3}).says("names 3 slabs"));
  CHECK(refused(4, {}).kind == ErrorKind::parameter);
}

TEST_CASE("A transport that does not bring a stencil's halos is refused", "[unit]") {
  FirstOfTwo ranks;
  const Specification specification = chains();
  const Extent3 n{7, 5, 9};
  for (const Transport transport : {Transport::mpi, Transport::staged}) {
    const DomainCut cut = cut_for(specification, n.z, {{}, {}, transport, false}, ranks);
    const Outcome outcome = outcome_of([&] { const StencilPart part(specification, n, cut, nullptr); });
    CHECK(outcome.kind == ErrorKind::unavailable);
    CHECK(outcome.says("garbles what rank 1 sends to rank 0"));
  }
}

TEST_CASE("A slab starts from its planes of the whole grid", "[unit]") {
  FirstOfTwo ranks;
  const Specification specification = find_specification("himeno");
  const Extent3 n{7, 5, 9};
  const ArraySet whole(specification, n, nullptr),
      slab(specification, n, Box3{{0, 0, 4}, {n.x, n.y, n.z}}, nullptr);
  REQUIRE(slab.extent() == Extent3{7, 5, 5});
  for (const int array : {0, 3}) {
    const auto of_whole = whole.bytes_of(array), of_slab = slab.bytes_of(array);
    for (int z = -1; z <= 5; ++z) {
      for (int x = -1; x <= 7; ++x) {
        CHECK(slab.value(of_slab, array, {x, 2, z}) == whole.value(of_whole, array, {x, 2, z + 4}));
      }
    }
    CHECK(std::memcmp(slab.plane(array, -1), whole.plane(array, 3), slab.plane_bytes(array)) == 0);
  }
}
