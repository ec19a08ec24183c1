#include "validation/cases/float64_run.hpp"

#include <Kokkos_Core.hpp>

namespace minimod {

Float64Run::Float64Run(Extent3 n, double h, double velocity, double dt, Edges edges)
    : grid_(make_grid(n, {h, h, h}, 0)),
      edges_(edges),
      v2dt2_(velocity * dt * (velocity * dt)),
      u_(grid_.layout.size),
      u_next_(grid_.layout.size),
      v2dt2_field_(grid_.layout.size, v2dt2_) {}

void Float64Run::step() {
  if (edges_ == Edges::periodic) wrap();
  StencilArgs<double> args;
  args.layout = grid_.layout;
  args.u = u_.data();
  args.u_before = u_next_.data();
  args.u_next = u_next_.data();
  args.v2dt2 = v2dt2_field_.data();
  args.weights = make_stencil_weights<double>(grid_.spacing);
  const Extent3 n = grid_.n;
  using Planes = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("minimod::float64", Planes(0, n.z), [&](int z) {
    StencilArgs<double> plane = args;
    plane.box = {{0, 0, z}, {n.x, n.y, z + 1}};
    run_reference<InnerUpdate<double>>(plane);
  });
  Kokkos::fence();
  std::swap(u_, u_next_);
}

void Float64Run::step(Index3 source, double sample) {
  step();
  const double h = grid_.spacing.x;
  u_[grid_.layout.index(source.x, source.y, source.z)] += v2dt2_ * sample / (h * h * h);
}

/// Fills what the stars reach outside the box, edges and corners apart, which no star reaches.
void Float64Run::wrap() {
  const Extent3 n = grid_.n;
  const auto at = [&](int x, int y, int z) -> double& { return u_[grid_.layout.index(x, y, z)]; };
  const auto wrap_axis = [](int size, auto value) {
    for (int m = 1; m <= stencil_radius; ++m) {
      value(-m) = value(size - m);
      value(size - 1 + m) = value(m - 1);
    }
  };
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) wrap_axis(n.x, [&](int x) -> double& { return at(x, y, z); });
    for (int x = 0; x < n.x; ++x) wrap_axis(n.y, [&](int y) -> double& { return at(x, y, z); });
  }
  for (int y = 0; y < n.y; ++y) {
    for (int x = 0; x < n.x; ++x) wrap_axis(n.z, [&](int z) -> double& { return at(x, y, z); });
  }
}

}  // namespace minimod
