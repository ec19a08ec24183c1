#include "validation/cases/means/float64_run.hpp"

#include "boundary/decomposition.hpp"
#include "kernels/registry.hpp"

namespace minimod {

Float64Run::Float64Run(const Domain& domain, Edges edges)
    : grid_(domain.grid()),
      edges_(edges),
      boundary_(make_boundary(domain.boundary(), domain.n, grid_.spacing, domain.dt)),
      launches_(make_launches(grid_, boundary_.spec.regions(domain.n), Decomposition::seven)),
      u_(grid_.layout.size),
      u_next_(grid_.layout.size),
      v2dt2_(grid_.layout.size),
      phi_(phi_size(grid_, boundary_.spec.regions(domain.n))) {
  for_points([&](Index3 p, std::int64_t i) {
    const double courant_length = domain.velocity_of(p) * domain.dt;
    v2dt2_[i] = courant_length * courant_length;
  });
}

void Float64Run::step() {
  if (edges_ == Edges::periodic) wrap();
  LaunchArgs args(grid_);
  args.u = u_.data();
  args.u_before = args.u_next = u_next_.data();
  args.v2dt2 = v2dt2_.data();
  args.phi = phi_.data();
  args.eta_x = boundary_.x.eta.data() + 1;
  args.eta_y = boundary_.y.eta.data() + 1;
  args.eta_z = boundary_.z.eta.data() + 1;
  args.shift = boundary_.alpha;
  const CodeShape& reference = find_shape("reference", grid_.radius, Precision::float64);
  for (const RegionLaunch& launch : launches_) {
    args.box = launch.box;
    args.phi_layout = launch.phi;
    run_once(reference.host.of(launch.formula), args);
  }
  std::swap(u_, u_next_);
}

void Float64Run::step(Index3 source, double sample) {
  step();
  const std::int64_t i = grid_.layout.index(source.x, source.y, source.z);
  const Point3 h = grid_.spacing;
  u_[i] += v2dt2_[i] * sample / (h.x * h.y * h.z);
}

/// Fills what the stars reach outside the box, edges and corners apart, which no star reaches.
void Float64Run::wrap() {
  const Extent3 n = grid_.n;
  const auto at = [&](int x, int y, int z) -> double& { return u_[grid_.layout.index(x, y, z)]; };
  const auto wrap_axis = [radius = grid_.radius](int size, auto value) {
    for (int m = 1; m <= radius; ++m) {
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
