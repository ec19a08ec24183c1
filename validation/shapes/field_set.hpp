/// Random fields on a small grid for the tests of the code shapes, with NaN wherever an update must not read.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "boundary/pml_profile.hpp"
#include "boundary/regions.hpp"
#include "kernels/update.hpp"
#include "validation/cases/means/field_comparison.hpp"

namespace minimod {

struct SmallDomain {
  Extent3 n;
  int pml_width;
};

template <class Real>
struct FieldSet {
  Grid grid;
  Regions regions;
  std::vector<Real> u, u_next, v2dt2, phi, eta_x, eta_y, eta_z, eta;
  std::array<Layout, 6> phi_layouts;

  FieldSet(Extent3 n, int pml_width, unsigned seed, int radius = stencil_radius)
      : grid(make_grid(n, {20, 15, 12.5}, pml_width, radius)),
        regions(make_regions(n, same_on_all_faces(pml_width))) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (auto* field : {&u, &u_next, &v2dt2, &eta}) field->assign(grid.layout.size, nan);
    std::int64_t phi_size = 0;
    for (int i = 0; i < 6; ++i) {
      phi_layouts[i] = box_layout(regions.pml[i], grid.layout, phi_size);
      phi_size += phi_layouts[i].size;
    }
    phi.assign(phi_size, nan);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1), share(1, 5);
    fill(u, grid.radius, [&] { return value(random); });
    fill(u_next, 0, [&] { return value(random); });
    fill(v2dt2, 0, [&] { return share(random); });
    for (Real& p : phi) p = static_cast<Real>(1e-3 * value(random));
    const auto profile = [&](int points, double h) {
      const auto profile_values = make_pml_profile({points, pml_width, pml_width, h}, 4500, 1e-3);
      return std::vector<Real>(profile_values.begin(), profile_values.end());
    };
    eta_x = profile(grid.n.x, grid.spacing.x);
    eta_y = profile(grid.n.y, grid.spacing.y);
    eta_z = profile(grid.n.z, grid.spacing.z);
    for_reach(1, [&](int x, int y, int z) {
      eta[grid.layout.index(x, y, z)] = eta_x[x + 1] + eta_y[y + 1] + eta_z[z + 1];
    });
  }

  /// Arguments of an update of `box`; `region` is the number of a PML region.
  [[nodiscard]] LaunchArgs args(const Box3& box, int region = 0) {
    LaunchArgs a(grid);
    a.box = box;
    a.inner = regions.inner;
    a.phi_layout = phi_layouts[region];
    a.u = u.data();
    a.u_before = u_next.data();
    a.u_next = u_next.data();
    a.v2dt2 = v2dt2.data();
    a.phi = phi.data();
    a.eta = eta.data();
    a.eta_x = eta_x.data() + 1;
    a.eta_y = eta_y.data() + 1;
    a.eta_z = eta_z.data() + 1;
    a.shift = 0.01;
    return a;
  }

  /// The same of all points.
  [[nodiscard]] LaunchArgs args_of_all() { return args({{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}}); }

  /// Greatest relative difference of u_next at the points of the grid; infinite where it has more values.
  [[nodiscard]] double difference_of_u_next(const FieldSet& expected) const {
    const auto is_value = [](Real value) { return !std::isnan(value); };
    const auto points = std::int64_t{grid.n.x} * grid.n.y * grid.n.z;
    if (std::ranges::count_if(u_next, is_value) > points) return std::numeric_limits<double>::infinity();
    return relative_difference(on_grid(u_next), on_grid(expected.u_next));
  }

  /// Region, extents and first wrong point of u_next; empty where all are near.
  [[nodiscard]] std::string first_wrong(const FieldSet& expected, double tolerance) const {
    const auto wrong = first_wrong_point(on_grid(u_next), on_grid(expected.u_next), grid.n, tolerance);
    return wrong ? text(region_of(regions, wrong->at), ", first wrong point ", wrong->told()) : "";
  }

 private:
  [[nodiscard]] std::vector<Real> on_grid(const std::vector<Real>& field) const {
    std::vector<Real> values;
    for_reach(0, [&](int x, int y, int z) { values.push_back(field[grid.layout.index(x, y, z)]); });
    return values;
  }

  /// Sets the points of the grid and `reach` more along each axis.
  void fill(std::vector<Real>& field, int reach, auto next) {
    for_reach(reach,
              [&](int x, int y, int z) { field[grid.layout.index(x, y, z)] = static_cast<Real>(next()); });
  }

  /// Visits the points of the grid and `reach` more along each axis, but not across the edges: no star gets
  /// there.
  void for_reach(int reach, auto visit) const {
    const Extent3 n = grid.n;
    const auto outside = [](int i, int size) { return i < 0 || i >= size ? 1 : 0; };
    for (int z = -reach; z < n.z + reach; ++z) {
      for (int y = -reach; y < n.y + reach; ++y) {
        for (int x = -reach; x < n.x + reach; ++x) {
          if (outside(x, n.x) + outside(y, n.y) + outside(z, n.z) <= 1) visit(x, y, z);
        }
      }
    }
  }
};

}  // namespace minimod
