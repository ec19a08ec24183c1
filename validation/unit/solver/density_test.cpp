/// The medium of variable density: buoyancy half-way between nodes, and the time step.
#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "kernels/equations/density_medium.hpp"
#include "kernels/random_field.hpp"
#include "src/solver/numerics/time_step.hpp"
#include "validation/cases/means/equation_run.hpp"

namespace minimod {

namespace {

using Catch::Approx;

Grid column(int points, Difference difference = {}) {
  return make_grid({1, 1, points}, {10, 8, 5}, 0, difference, Precision::float64);
}

/// Density half-way behind node z, of a density that depends on z alone.
double half_way(const Grid& grid, int z, const std::function<double(int)>& density) {
  const auto buoyancy = make_buoyancy<double>(grid, [&](Index3 p) { return density(p.z); });
  return 1 / buoyancy.z[grid.layout.index(0, 0, z)];
}

}  // namespace

TEST_CASE("The logarithm of density between nodes is a polynomial of theirs", "[unit]") {
  const auto cubic = [](double z) {
    return 1500 * std::exp(0.1 + 0.03 * z - 2e-3 * z * z + 5e-5 * z * z * z);
  };
  for (const int radius : {2, 3, 4, 8})
    CHECK(half_way(column(40, radius), 20, [&](int z) { return cubic(z); }) ==
          Approx(cubic(20.5)).epsilon(1e-12));
  CHECK(half_way(column(40, 1), 20, [&](int z) { return cubic(z); }) ==
        Approx(std::sqrt(cubic(20) * cubic(21))));
}

TEST_CASE("The crest of a density between two nodes stays", "[unit]") {
  const auto crest = [](double z) { return 2000 + 500 * std::cos((z - 20.5) / 5); };
  CHECK(half_way(column(40), 20, [&](int z) { return crest(z); }) == Approx(crest(20.5)).epsilon(1e-6));
}

TEST_CASE("A step of density passes through the geometric mean of both sides", "[unit]") {
  CHECK(half_way(column(40), 20, [](int z) { return z <= 20 ? 1000.0 : 2700.0; }) ==
        Approx(std::sqrt(1000.0 * 2700.0)));
}

TEST_CASE("No contrast of density makes a wave grow", "[unit]") {
  for (const int radius : {2, 4, 8}) {
    const Grid grid = column(60, radius);
    const auto density = [](Index3 p) { return random_value(3, 0, 0, p.z) < 0 ? 1.2 : 2700.0; };
    const auto buoyancy = make_buoyancy<double>(grid, density);
    const DifferenceWeights weights = difference_weights(radius);
    for (unsigned seed = 1; seed < 20; ++seed) {
      double energy = 0, size = 0;  // -p·∇(b ∇p), of every pair of nodes once
      const auto p = [&](int z) { return z < 0 || z >= 60 ? 0.0 : double{random_value(seed, 0, 0, z)}; };
      for (int m = 1; m <= radius; ++m) {
        for (int z = 0; z + m < 60; ++z) {
          const double b = m % 2 == 0 ? buoyancy.nodes[grid.layout.index(0, 0, z + m / 2)]
                                      : buoyancy.z[grid.layout.index(0, 0, z + (m - 1) / 2)];
          const double term = weights.second[m - 1] * b * std::pow(p(z + m) - p(z), 2);
          energy += term;
          size += std::abs(term);
        }
      }
      CHECK(energy > 0);
      CHECK(energy < size);
    }
  }
}

TEST_CASE("Constant density allows the time step of constant density", "[unit]") {
  for (const int radius : {1, 3, 4, 8}) {
    const Grid grid = make_grid({9, 8, 7}, {10, 8, 5}, 0, radius);
    const auto buoyancy = make_buoyancy<double>(grid, [](Index3) { return 1700.0; });
    const double limit = density_dt_limit(grid, buoyancy, [](Index3) { return 2000.0; });
    CHECK(limit == Approx(stable_dt_limit(2000, grid.spacing, radius)).epsilon(1e-12));
  }
}

TEST_CASE("The difference of variable density is the sum that its definition says", "[unit]") {
  Domain domain{{13, 12, 11}};
  domain.dt = 1e-3;
  domain.stretch = {1, 0.75, 0.625};
  DensityRun<double> run(domain, [](Index3 p) { return 1800 + 800 * random_value(2, p.x, p.y, p.z); });
  run.for_points([&](Index3 p, std::int64_t i) { run.u.now[i] = random_value(4, p.x, p.y, p.z); });
  run.u.next.assign(run.u.next.size(), 0);
  const std::vector<double> p = run.u.now;
  run.step();
  constexpr double c[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const Layout& at = run.grid.layout;
  const std::int64_t strides[] = {1, at.stride_y, at.stride_z};
  const double h[] = {20, 15, 12.5};
  const std::vector<double>* halves[] = {&run.buoyancy.x, &run.buoyancy.y, &run.buoyancy.z};
  run.for_points([&](Index3, std::int64_t i) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t next = strides[axis];
      const std::vector<double>&half = *halves[axis], &node = run.buoyancy.nodes;
      const double behind[] = {half[i], node[i + next], half[i + next], node[i + 2 * next]};
      const double before[] = {half[i - next], node[i - next], half[i - 2 * next], node[i - 2 * next]};
      for (int m = 1; m <= 4; ++m) {
        sum += c[m - 1] / (h[axis] * h[axis]) *
               (behind[m - 1] * (p[i + m * next] - p[i]) + before[m - 1] * (p[i - m * next] - p[i]));
      }
    }
    CHECK(run.u.now[i] == Approx(2 * p[i] + run.modulus[i] * sum).epsilon(1e-10).margin(1e-12));
  });
}

}  // namespace minimod
