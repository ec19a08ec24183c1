#include "src/solver/numerics/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace minimod;
using Catch::Approx;

namespace {
const Extent3 n{40, 36, 44};

/// A field of plane waves with so many nodes per wavelength, odd in z where asked.
struct Waves {
  double nodes = 5;
  bool odd = false;
  [[nodiscard]] double at(double x, double y, double z) const {
    const double k = 2 * std::numbers::pi / nodes;
    const double along_z = odd ? std::sin(k * 0.6 * z) : std::sin(k * 0.6 * z + 0.3);
    return std::sin(k * 0.64 * x + 0.5) * std::sin(k * 0.48 * y - 0.7) * along_z;
  }
};

double value(const Waves& waves, Point3 p, Interpolation interpolation) {
  Layout at{0, n.x, std::int64_t{n.x} * n.y, n.points()};
  std::vector<float> field(at.size);
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) field[at.index(x, y, z)] = static_cast<float>(waves.at(x, y, z));
    }
  }
  return sinc_weights(p, n, interpolation, waves.odd).value(field.data(), at);
}
}  // namespace

TEST_CASE("A position at a node is that node", "[unit]") {
  const NodeWeights weights = sinc_weights({7, 8, 9}, n, Interpolation::sinc4, false);
  CHECK(weights.first == Index3{7, 8, 9});
  CHECK(weights.count == Extent3{1, 1, 1});
  CHECK(weights.x[0] * weights.y[0] * weights.z[0] == 1);
}

TEST_CASE("The windowed sinc is 1 at its node, 0 at the others, and ends at r", "[unit]") {
  for (const int r : {4, 8}) {
    CHECK(windowed_sinc(0, r) == 1);
    for (int m = 1; m <= r; ++m) CHECK(std::abs(windowed_sinc(m, r)) < 1e-15);
    CHECK(windowed_sinc(r + 0.1, r) == 0);
    CHECK(windowed_sinc(0.4, r) == Approx(windowed_sinc(-0.4, r)));
  }
  CHECK(std::abs(windowed_sinc(3.5, 4)) > 1e-4);
}

TEST_CASE("Waves of five nodes a wavelength are interpolated to a thousandth", "[unit]") {
  const Waves waves{5, false};
  const auto error = [&](Point3 p, Interpolation interpolation) {
    return std::abs(value(waves, p, interpolation) - waves.at(p.x, p.y, p.z));
  };
  for (const Point3 p :
       {Point3{20.5, 18, 22}, Point3{20, 18.5, 22}, Point3{20, 18, 22.5}, Point3{20, 18, 22.2}}) {
    CHECK(error(p, Interpolation::sinc4) < 1e-3);
  }
  for (const Point3 p : {Point3{20.5, 18.5, 22.5}, Point3{19.3, 17.9, 21.25}}) {
    CHECK(error(p, Interpolation::sinc4) < 3e-3);  // the axes' errors add up
    CHECK(error(p, Interpolation::sinc8) < 1e-5);
  }
}

TEST_CASE("Under a free surface the nodes above it are the odd image of those below", "[unit]") {
  const Waves waves{6, true};
  for (const double z : {0.5, 1.25, 2.5, 3.75}) {
    CHECK(std::abs(value(waves, {20, 18, z}, Interpolation::sinc4) - waves.at(20, 18, z)) < 1e-3);
    CHECK(std::abs(value(waves, {20.5, 18, z}, Interpolation::sinc8) - waves.at(20.5, 18, z)) < 1e-5);
  }
  CHECK(sinc_weights({20, 18, 1.5}, n, Interpolation::sinc8, true).first.z == 0);
}

TEST_CASE("Nodes outside the grid are left out", "[unit]") {
  const NodeWeights low = sinc_weights({1.5, 0.5, 2.5}, n, Interpolation::sinc8, false);
  CHECK(low.first == Index3{0, 0, 0});
  CHECK(low.count == Extent3{10, 9, 11});
  CHECK(low.x[1] == Approx(windowed_sinc(-0.5, 8)));
  const NodeWeights high = sinc_weights({38.5, 35, 42.5}, n, Interpolation::sinc4, false);
  CHECK(high.first.x + high.count.x == n.x);
  CHECK(high.first.z + high.count.z == n.z);
}

TEST_CASE("Positions that share coordinates have the weights of each alone", "[unit]") {
  for (const bool free_surface : {false, true}) {
    SincWeights weights(n, Interpolation::sinc4, free_surface);
    for (const Point3 p :
         {Point3{7.3, 8.5, 1.2}, {8.1, 8.5, 1.2}, {8.1, 9, 1.2}, {8.1, 9, 5.7}, {7.3, 8.5, 1.2}}) {
      const NodeWeights &found = weights.at(p),
                        alone = sinc_weights(p, n, Interpolation::sinc4, free_surface);
      CHECK(found.first == alone.first);
      CHECK(found.count == alone.count);
      const auto same = [](const double* a, const double* b, int count) {
        return std::equal(a, a + count, b);
      };
      CHECK(same(found.x, alone.x, alone.count.x));
      CHECK(same(found.y, alone.y, alone.count.y));
      CHECK(same(found.z, alone.z, alone.count.z));
    }
  }
}
