/// The update formulas against the equations of the design, written out here in double.
#include "kernels/update.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/cores/reference.hpp"
#include "validation/shapes/field_set.hpp"

using namespace minimod;
using Catch::Approx;

namespace {
constexpr double c[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

double laplacian(const FieldSet<double>& f, int x, int y, int z) {
  const auto u = [&](int dx, int dy, int dz) { return f.u[f.grid.layout.index(x + dx, y + dy, z + dz)]; };
  const Point3 h = f.grid.spacing;
  double sum = c[0] * u(0, 0, 0) * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z));
  for (int m = 1; m <= 4; ++m) {
    sum += c[m] * ((u(m, 0, 0) + u(-m, 0, 0)) / (h.x * h.x) + (u(0, m, 0) + u(0, -m, 0)) / (h.y * h.y) +
                   (u(0, 0, m) + u(0, 0, -m)) / (h.z * h.z));
  }
  return sum;
}

/// Calls check(x, y, z, index) for the points of a box.
void for_points(const Box3& box, const Layout& at, auto check) {
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y) {
      for (int x = box.begin.x; x < box.end.x; ++x) check(x, y, z, at.index(x, y, z));
    }
  }
}
}  // namespace

TEST_CASE("The inner update is equation 2", "[unit]") {
  FieldSet<double> f({15, 14, 13}, 3, 1);
  const FieldSet<double> before = f;
  run_reference<InnerUpdate<double>>(f.args(f.regions.inner));
  for_points(f.regions.inner, f.grid.layout, [&](int x, int y, int z, std::int64_t i) {
    const double expected = 2 * before.u[i] - before.u_next[i] + before.v2dt2[i] * laplacian(before, x, y, z);
    CHECK(f.u_next[i] == Approx(expected).epsilon(1e-12));
  });
}

TEST_CASE("The PML update is the Minimod form with its shift", "[unit]") {
  FieldSet<double> f({15, 14, 13}, 3, 2);
  const FieldSet<double> before = f;
  const Point3 h = f.grid.spacing;
  for (int region = 0; region < 6; ++region) {
    const auto args = f.args(f.regions.pml[region], region);
    run_reference<PmlUpdate<double>>(args);
    for_points(args.box, f.grid.layout, [&](int x, int y, int z, std::int64_t i) {
      const auto u = [&](int dx, int dy, int dz) {
        return before.u[f.grid.layout.index(x + dx, y + dy, z + dz)];
      };
      const auto eta = [&](int dx, int dy, int dz) {
        return f.eta_x[x + dx + 1] + f.eta_y[y + dy + 1] + f.eta_z[z + dz + 1];
      };
      const std::int64_t k = args.phi_layout.index(x, y, z);
      const double e = eta(0, 0, 0), phi = before.phi[k];
      const double u_next = ((2 - e * e + 2 * e) * before.u[i] - before.u_next[i] +
                             before.v2dt2[i] * (laplacian(before, x, y, z) + phi)) /
                            (1 + 2 * e);
      const double decay = (eta(1, 0, 0) - eta(-1, 0, 0)) * (u(1, 0, 0) - u(-1, 0, 0)) / (4 * h.x * h.x) +
                           (eta(0, 1, 0) - eta(0, -1, 0)) * (u(0, 1, 0) - u(0, -1, 0)) / (4 * h.y * h.y) +
                           (eta(0, 0, 1) - eta(0, 0, -1)) * (u(0, 0, 1) - u(0, 0, -1)) / (4 * h.z * h.z);
      CHECK(f.u_next[i] == Approx(u_next).epsilon(1e-12));
      CHECK(f.phi[k] == Approx((phi - decay) / (1 + e + args.shift)).epsilon(1e-12).margin(1e-14));
    });
  }
}
