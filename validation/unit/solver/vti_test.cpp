/// The VTI equations' step, written out, and their time step.
#include "kernels/equations/vti.hpp"

#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/equation_run.hpp"

namespace minimod {

namespace {
using Catch::Approx;
}  // namespace

TEST_CASE("The VTI step is that of Duveneck's equations", "[unit]") {
  Domain domain{{13, 12, 11}};
  domain.dt = 1e-3;
  domain.stretch = {1, 0.75, 0.625};
  constexpr double epsilon = 0.2, delta = 0.05;
  VtiRun<double> run(domain, [](Index3) { return Thomsen{epsilon, delta}; });
  run.for_points([&](Index3 p, std::int64_t i) {
    run.p.now[i] = random_value(1, p.x, p.y, p.z);
    run.q.now[i] = random_value(2, p.x, p.y, p.z);
    run.p.next[i] = random_value(3, p.x, p.y, p.z);
    run.q.next[i] = random_value(4, p.x, p.y, p.z);
  });
  const VtiRun<double> before = run;
  run.step();
  constexpr double c[] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const auto bend = [&](const std::vector<double>& u, std::int64_t i, std::int64_t stride, double h) {
    double sum = c[0] * u[i];
    for (int m = 1; m <= 4; ++m) sum += c[m] * (u[i + m * stride] + u[i - m * stride]);
    return sum / (h * h);
  };
  const Layout& at = run.grid.layout;
  run.for_points([&](Index3, std::int64_t i) {
    const double across = bend(before.p.now, i, 1, 20) + bend(before.p.now, i, at.stride_y, 15);
    const double along = bend(before.q.now, i, at.stride_z, 12.5), coupling = std::sqrt(1 + 2 * delta);
    const double p = (1 + 2 * epsilon) * across + coupling * along, q = coupling * across + along;
    CHECK(run.p.now[i] ==
          Approx(2 * before.p.now[i] - before.p.next[i] + 4 * p).epsilon(1e-10).margin(1e-11));
    CHECK(run.q.now[i] ==
          Approx(2 * before.q.now[i] - before.q.next[i] + 4 * q).epsilon(1e-10).margin(1e-11));
  });
}

TEST_CASE(
    "The VTI time step is the isotropic one without anisotropy, and in stretched z where it is elliptic",
    "[unit]") {
  const Point3 h{10, 8, 5};
  CHECK(vti_dt_limit(2000, 0, 0, h) == Approx(stable_dt_limit(2000, h)).epsilon(1e-12));
  const double factor = std::sqrt(1 + 2 * 0.2);
  CHECK(vti_dt_limit(2000, 0.2, 0.2, h, 6) ==
        Approx(stable_dt_limit(2000 * factor, {h.x, h.y, h.z * factor}, 6)).epsilon(1e-12));
  CHECK(vti_dt_limit(2000, 0.2, 0.1, h) > vti_dt_limit(2000, 0.2, 0.2, h));
}

}  // namespace minimod
