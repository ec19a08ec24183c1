/// Index arithmetic beyond 2^31 points: a few planes of a small grid, far apart in memory, so that 32-bit
/// products would wrap.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "validation/shapes/field_set.hpp"
#include "validation/shapes/sparse_field.hpp"

using namespace minimod;

namespace {

/// The fields' values are of the order of 1, and a shape may sum in an order of its own.
bool is_close(float a, float b) {
  return std::abs(a - b) <= 2e-6F;
}

}  // namespace

TEST_CASE("Every shape is right where indices pass 2^31", "[shapes]") {
  const Extent3 n{21, 19, 17};
  FieldSet<float> expected(n, 4, 13);
  const FieldSet<float> initial = expected;
  const Layout& dense = expected.grid.layout;

  const Layout spread = spread_planes(dense, n, (std::int64_t{1} << 27) + 4096);
  REQUIRE(spread.index(n.x, n.y, n.z) > std::int64_t{1} << 31);

  const CodeShape& reference = find_shape("reference");
  run_once(reference.host.inner, expected.args(expected.regions.inner));
  run_once(reference.host.pml, expected.args(expected.regions.pml[1], 1));

  const SparseField u(spread.size), u_next(spread.size), v2dt2(spread.size), eta(spread.size);
  for (const CodeShape& shape : all_shapes()) {
    if (!shape.host.inner) continue;
    CAPTURE(shape.name);
    FieldSet<float> f = initial;
    for_storage(n, dense, spread, [&](std::int64_t from, std::int64_t to) {
      u.data()[to] = initial.u[from];
      u_next.data()[to] = initial.u_next[from];
      v2dt2.data()[to] = initial.v2dt2[from];
      eta.data()[to] = initial.eta[from];
    });
    for (const Formula formula : {Formula::inner, Formula::pml}) {
      auto args = formula == Formula::inner ? f.args(f.regions.inner) : f.args(f.regions.pml[1], 1);
      args.layout = spread;
      args.u = u.data();
      args.u_before = u_next.data();
      args.u_next = u_next.data();
      args.v2dt2 = v2dt2.data();
      args.eta = eta.data();
      run_once(shape.host.of(formula), args);
    }
    int wrong = 0;
    for_storage(n, dense, spread, [&](std::int64_t at, std::int64_t there) {
      const float value = u_next.data()[there], right = expected.u_next[at];
      wrong += !(is_close(value, right) || (std::isnan(value) && std::isnan(right)));
    });
    CHECK(wrong == 0);
    const std::int64_t last = f.phi_layouts[1].index(3, 3, n.z - 1);
    CHECK(is_close(f.phi[last], expected.phi[last]));
  }
}
