/// Jacobi iterations against their definition (Tang et al. 2013, equation 1).
#include "kernels/equations/jacobi.hpp"

#include <cmath>
#include <cstdint>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "validation/shapes/field_set.hpp"

namespace minimod {
namespace {

/// c0 u + Σ c_m (the points m away along an axis), with weights of their own, in double.
double iterated(const FieldSet<double>& f, Index3 p) {
  const Layout& at = f.grid.layout;
  const Point3 h = f.grid.spacing;
  const DifferenceWeights difference = difference_weights(f.grid.radius);
  const double tau = jacobi_relaxation(f.grid.radius, h);
  const std::int64_t i = at.index(p.x, p.y, p.z);
  double sum = f.u[i];
  for (const auto& [spacing, stride] :
       {std::pair(h.x, std::int64_t{1}), {h.y, at.stride_y}, {h.z, at.stride_z}}) {
    double second = difference.centre * f.u[i];
    for (int m = 1; m <= f.grid.radius; ++m) {
      second += difference.second[m - 1] * (f.u[i + m * stride] + f.u[i - m * stride]);
    }
    sum += tau * second / (spacing * spacing);
  }
  return sum;
}

}  // namespace

TEST_CASE("An iteration of Jacobi's is its star, at every order", "[shapes]") {
  for (int radius = 1; radius <= most_radius; ++radius) {
    CAPTURE(radius);
    FieldSet<double> f({17, 12, 19}, 0, 3, radius);
    run_once(find_shape("reference", radius, Precision::float64, Equation::jacobi).host.inner,
             f.args_of_all());
    double worst = 0;
    for (int z = 0; z < f.grid.n.z; ++z) {
      for (int y = 0; y < f.grid.n.y; ++y) {
        for (int x = 0; x < f.grid.n.x; ++x) {
          const double difference = f.u_next[f.grid.layout.index(x, y, z)] - iterated(f, {x, y, z});
          worst = std::max(worst, std::abs(difference));
        }
      }
    }
    CHECK(worst <= 1e-14);
  }
}

TEST_CASE("Weights of Jacobi's iteration add up to one, and its fastest wave is gone at once", "[shapes]") {
  const Point3 h{20, 15, 12.5};
  for (int radius = 1; radius <= most_radius; ++radius) {
    CAPTURE(radius);
    const double tau = jacobi_relaxation(radius, h);
    const DifferenceWeights difference = difference_weights(radius);
    double all = difference.centre, alternating = difference.centre;
    for (int m = 1; m <= radius; ++m) {
      all += 2 * difference.second[m - 1];
      alternating += 2 * (m % 2 == 0 ? 1 : -1) * difference.second[m - 1];
    }
    const double axes = 1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z);
    CHECK(std::abs(all) <= 1e-14);
    CHECK(std::abs(1 + tau * alternating * axes) <= 1e-14);
  }
}

}  // namespace minimod
