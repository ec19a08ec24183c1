/// The sum that an inverse-scattering image is made of is that of its formula, step by step.
#include "src/job/gradient/imaging.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/random_field.hpp"

namespace minimod {

namespace {

using Catch::Approx;
using Values = std::vector<double>;

constexpr int steps = 60;
constexpr double dt = 0.0015;

Values star_of(const Values& u, const Grid& grid) {
  Values made = minus_half_laplacian(u, grid);
  for (double& value : made) value *= -2;
  return made;
}

Values product(const Values& one, const Values& other) {
  Values made(one.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = one[i] * other[i];
  return made;
}

Values random_velocity(const Grid& grid) {
  Values v(static_cast<std::size_t>(grid.n.points()));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2000 + 300 * random_value(3, static_cast<int>(i), 0, 0);
  return v;
}

/// Fields from rest, with a pulse at a node behind the first steps.
std::vector<Values> waves(const Grid& grid, const Values& v, std::size_t source) {
  std::vector<Values> u(steps + 1, Values(v.size()));
  for (int n = 1; n < steps; ++n) {
    const Values star = star_of(u[n], grid);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double fed = i == source ? std::exp(-std::pow((n - 12) / 4.0, 2)) : 0;
      u[n + 1][i] = 2 * u[n][i] - u[n - 1][i] + std::pow(v[i] * dt, 2) * (star[i] + fed);
    }
  }
  return u;
}

}  // namespace

TEST_CASE("An inverse-scattering image is the products of both fields' derivatives, summed over the steps",
          "[unit]") {
  const Grid grid = make_grid({14, 12, 13}, {10, 11, 9}, 0, Difference(3));
  const Values v = random_velocity(grid);
  const std::size_t source = 700, receiver = 1500;
  const std::vector<Values> w = waves(grid, v, source);
  std::vector<Values> adjoint = waves(grid, v, receiver);
  std::ranges::reverse(adjoint);
  Values cross(v.size()), wanted(v.size());
  for (int n = 0; n <= steps; ++n) {
    const Values both = product(adjoint[n], w[n]), star = star_of(both, grid), star_w = star_of(w[n], grid),
                 star_adjoint = star_of(adjoint[n], grid);
    for (std::size_t i = 0; i < v.size(); ++i) {
      cross[i] += both[i];
      wanted[i] -= (star[i] - adjoint[n][i] * star_w[i] - w[n][i] * star_adjoint[i]) / 2;
      if (n == steps) continue;
      const double of_times = (adjoint[n + 1][i] - adjoint[n][i]) * (w[n + 1][i] - w[n][i]);
      wanted[i] += of_times / std::pow(v[i] * dt, 2);
    }
  }
  const Values image = minus_half_laplacian(cross, grid);
  double greatest = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (i != source && i != receiver) greatest = std::max(greatest, std::abs(image[i]));
  for (std::size_t i = 0; i < v.size(); ++i)
    if (i != source && i != receiver) CHECK(image[i] == Approx(wanted[i]).margin(1e-12 * greatest));
}

TEST_CASE("Traces are migrated by their integral from a time to the last", "[unit]") {
  const Values migrated = migrated_traces({0, 1, 1, 0, 0, 0, 0, 2}, 4, 0.5);
  CHECK(migrated == Values{-1, -0.75, -0.25, 0, -0.5, -0.5, -0.5, 0});
}

TEST_CASE("A compensated image is divided by the illumination, where there is one", "[unit]") {
  Reals image = Values{2, 4}, dark = Values{1, 1};
  compensate(image, Values{1, 3});
  CHECK(image[0] == Approx(2 / 1.02));
  CHECK(image[1] == Approx(4 / 3.02));
  compensate(dark, Values{0, 0});
  CHECK(dark == Reals(Values{1, 1}));
}

}  // namespace minimod
