/// Media at other spacings than their model's.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/process/threads.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"
#include "validation/unit/models/medium_values.hpp"

namespace minimod {
namespace {

using Catch::Approx;

std::vector<float> sample(const VelocityModel& model, Extent3 n, Point3 spacing, Index3 begin) {
  return values_of(medium_of(model, n, spacing, begin), n);
}

TEST_CASE("at the model's spacing its values are copied, and go on outside", "[unit]") {
  const Extent3 inner{7, 5, 6}, n{13, 11, 12};
  const Point3 h{0.1, 7.3, 12.5};
  const VelocityModel model =
      model_of(inner, h, [](int x, int y, int z) { return 1500 + std::sin(x + 7.0F * y + 31 * z); });
  CHECK(inner_extent(model, h, 99) == inner);
  const auto values = sample(model, n, h, {3, 3, 3});
  std::size_t i = 0;
  bool same = true;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        const int mx = std::clamp(x - 3, 0, 6), my = std::clamp(y - 3, 0, 4), mz = std::clamp(z - 3, 0, 5);
        const std::int64_t node = (std::int64_t{mz} * 5 + my) * 7 + mx;
        same = same && values[i++] == model.v[static_cast<std::size_t>(node)];
      }
    }
  }
  CHECK(same);
}

TEST_CASE("one medium has the same nodes on any grid, to the bit", "[unit]") {
  const VelocityModel model = model_of({10, 7, 13}, {0.1, 0.1, 0.1}, [](int, int, int) { return 2345.6; });
  for (const double h : {0.3, 0.25, 0.1, 0.07, 0.05}) {
    const Extent3 n = inner_extent(model, {h, h, h}, 1);
    const auto values = sample(model, n, {h, h, h}, {0, 0, 0});
    CHECK(std::ranges::count(values, 2345.6F) == n.points());
  }
  // 0.3 / 0.1 is less than 3.
  CHECK(inner_extent(model, {0.3, 0.3, 0.3}, 1) == Extent3{4, 3, 5});
}

/// Share that a row of 4000 m/s adds to a section of 2000 m/s, 10 m between its nodes, resampled to `h`.
double weight_of_row(int row, double h) {
  const VelocityModel model =
      model_of({5, 1, 61}, {10, 10, 10}, [row](int, int, int z) { return z == row ? 4000 : 2000; });
  const Extent3 n = inner_extent(model, {10, 10, h}, 1);
  const auto v = sample(model, n, {10, 10, h}, {0, 0, 0});
  double sum = 0;
  for (int z = 0; z < n.z; ++z) sum += h * (compressibility(v[std::size_t(5) * z]) - compressibility(2000));
  return sum / (10 * (compressibility(4000) - compressibility(2000)));
}

TEST_CASE("the shares of a file's nodes add up to 1, are symmetric and go on at the ends", "[unit]") {
  for (const double width : {0.4, 1.0, 2.0, 3.7}) {
    for (const double position : {0.0, 3.3, 50.0, 50.25, 99.0}) {
      INFO(position << " of 100, every " << width);
      const Shares shares = shares_around(position, width, 100);
      CHECK(shares.first >= 0);
      CHECK(shares.end() <= 100);
      CHECK(std::accumulate(shares.weights.begin(), shares.weights.end(), 0.0) == Approx(1).epsilon(1e-14));
      const Shares mirrored = shares_around(99 - position, width, 100);
      REQUIRE(mirrored.weights.size() == shares.weights.size());
      for (std::size_t i = 0; i < shares.weights.size(); ++i) {
        CHECK(std::abs(shares.weights[i] - mirrored.weights[shares.weights.size() - 1 - i]) < 1e-14);
      }
    }
    CHECK(shares_around(0, width, 100).weights.front() > 0.5);
  }
  CHECK(shares_around(0.7, 2, 1) == Shares{});
}

TEST_CASE("a row of a file keeps its weight at any spacing", "[unit]") {
  for (const double h : {2.0, 2.5, 5.0, 10.0, 20.0, 30.0}) {
    for (const int row : {29, 30, 31}) {
      INFO("row " << row << " at " << h << " m");
      CHECK(weight_of_row(row, h) == Approx(1).epsilon(5e-3));
    }
  }
}

double greatest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::abs(double(a[i]) - b[i]));
  return greatest;
}

TEST_CASE("a row of a file keeps its weight under --decimate, which is to resample", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{6, 5, 61};
  for (const int row : {29, 30, 31}) {
    std::vector<float> values(n.points(), 2000);
    std::fill_n(values.begin() + std::ptrdiff_t{30} * row, 30, 4000.0F);
    const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    ModelSpec spec;
    spec.source = directory.write("a.bin", bytes);
    spec.dims = n;
    spec.spacing = Point3{10, 10, 10};
    const VelocityModel whole = load_model(spec);
    for (const int step : {2, 3, 4}) {
      INFO("row " << row << ", every " << step);
      spec.decimate = {1, step, step};
      const VelocityModel some = load_model(spec);
      const Point3 h{10, 10.0 * step, 10.0 * step};
      CHECK(some.spacing == h);
      CHECK(greatest_difference(some.v, sample(whole, some.n, h, {0, 0, 0})) < 2e-3);
      double sum = 0;
      for (int z = 0; z < some.n.z; ++z) {
        sum += h.z * (compressibility(some.v[std::size_t(6) * some.n.y * z]) - compressibility(2000));
      }
      CHECK(sum / (10 * (compressibility(4000) - compressibility(2000))) == Approx(1).epsilon(5e-3));
    }
  }
}

TEST_CASE("a model that is read in parts has the values of the whole", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{7, 6, 123};
  std::vector<float> values(n.points());
  for (int i = 0; i < n.points(); ++i) values[i] = static_cast<float>(1500 + i * 37 % 1000);
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  const std::string file = directory.write("a.bin", bytes);
  for (const char* axes : {"z,y,x", "x,y,z", "y,z,x"}) {
    for (const int step : {1, 2}) {
      for (const double h : {10.0, 8.5}) {
        INFO(axes << ", every " << step << ", " << h << " m");
        ModelSpec spec;
        spec.source = file;
        spec.dims = n;
        spec.axes = axes;
        spec.spacing = Point3{10, 10, 10};
        spec.decimate = {1, 1, step};
        const Point3 spacing{h, h, h * step};
        VelocityModel whole = load_model(spec), empty = load_model_without_values(spec);
        CHECK(empty.v.empty());
        CHECK((empty.v_min == whole.v_min && empty.v_max == whole.v_max));
        const Extent3 inner = inner_extent(whole, spacing, 1), all{inner.x + 6, inner.y + 6, inner.z + 6};
        const Box3 box{{3, 3, 3}, {all.x - 3, all.y - 3, all.z - 3}};
        const int nodes = whole.n.z;
        const SampledMedium medium(std::move(whole), all, box, spacing);
        SampledMedium parts(std::move(empty), all, box, spacing, 3);
        CHECK((parts.v_min() == medium.v_min() && parts.v_max() == medium.v_max()));
        CHECK(medium.model().v.empty() == (h == 8.5));  // samples of the model are in their place
        const std::vector<float> expected = values_of(medium, all);
        const std::size_t plane = std::size_t(all.x) * all.y;
        const int cuts[] = {0, all.z / 3, 2 * all.z / 3, all.z};
        for (int part = 0; part < 3; ++part) {
          const int begin = cuts[part], end = cuts[part + 1];
          parts.hold(begin, end);
          CHECK(parts.model().held.end - parts.model().held.begin < nodes);
          std::vector<float> found(plane);
          for (int z = begin; z < end; ++z) {
            parts.sample_plane(z, found);
            CHECK(std::equal(found.begin(), found.end(), expected.begin() + std::ptrdiff_t(plane) * z));
            const int inside = std::clamp(z, 3, all.z - 4);
            const Box3 node{{4, 5, inside}, {5, 6, inside + 1}};
            CHECK(parts.values(node) == std::vector{expected[plane * inside + 5 * all.x + 4]});
          }
        }
        const Outcome outcome = outcome_of([&] { static_cast<void>(parts.values({{4, 4, 3}, {5, 5, 4}})); });
        CHECK((outcome.kind == ErrorKind::internal && outcome.says("was not read")));
      }
    }
  }
}

TEST_CASE("between nodes a linear 1/V^2 is linear", "[unit]") {
  const Point3 h{10, 20, 8}, fine{3, 7, 2.5};
  const Point3 slope{3e-10, -0.5e-10, 7e-10};
  const auto field = [&](double x, double y, double z) {
    return 2.5e-7 + slope.x * x + slope.y * y + slope.z * z;
  };
  const VelocityModel model = model_of(
      {24, 22, 25}, h, [&](int x, int y, int z) { return 1 / std::sqrt(field(h.x * x, h.y * y, h.z * z)); });
  const Extent3 n = inner_extent(model, fine, 1);
  CHECK(n == Extent3{77, 61, 77});
  const auto values = sample(model, n, fine, {0, 0, 0});
  double worst = 0;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) {
        const Point3 at{fine.x * x, fine.y * y, fine.z * z};
        const auto near_edge = [](double place, double spacing, int nodes) {
          return place < 8.6 * spacing || place > (nodes - 9.6) * spacing;
        };
        if (near_edge(at.x, h.x, 24) || near_edge(at.y, h.y, 22) || near_edge(at.z, h.z, 25)) continue;
        const double found = compressibility(values[(std::size_t(z) * n.y + y) * n.x + x]);
        worst = std::max(worst, std::abs(found - field(at.x, at.y, at.z)));
      }
    }
  }
  CHECK(worst > 0);
  CHECK(worst < 4e-3 * (slope.x * h.x - slope.y * h.y + slope.z * h.z));  // share of the steps between nodes
}

TEST_CASE("any number of threads samples the same bits", "[unit]") {
  const VelocityModel model = model_of({220, 190, 6}, {10, 10, 10}, [](int x, int y, int z) {
    return 2000 + 900 * std::sin(x * 0.9 + 3.0 * y * z);  // rough, so that some nodes are kept within bounds
  });
  const Point3 h{9, 11, 8};
  const Extent3 n = inner_extent(model, h, 1);
  const int threads = available_threads();
  use_threads(1);
  const auto alone = sample(model, n, h, {0, 0, 0});
  use_threads(3);
  const auto together = sample(model, n, h, {0, 0, 0});
  use_threads(threads);
  CHECK(alone == together);
}

TEST_CASE("a section is the same all along y", "[unit]") {
  const VelocityModel model = model_of({5, 1, 4}, {10, 10, 10}, marked);
  CHECK(inner_extent(model, {5, 5, 5}, 55) == Extent3{9, 55, 7});
  const auto values = sample(model, {11, 9, 9}, {5, 5, 5}, {1, 4, 1});
  bool same = true;
  for (std::size_t z = 0; z < 9; ++z) {
    for (std::size_t i = 0; i < 99; ++i) same = same && values[z * 99 + i] == values[z * 99 + i % 11];
  }
  CHECK(same);
  CHECK(values[99 + 1] == values[0]);
  CHECK(std::ranges::count(values, values[0]) < 99 * 4);
}

TEST_CASE("a spacing that asks for more points than an int counts is refused", "[unit]") {
  const VelocityModel model = model_of({5, 5, 5}, {10, 10, 10}, marked);
  CHECK(outcome_of([&] { (void)inner_extent(model, {1e-300, 1, 1}, 1); }).kind == ErrorKind::resource);
}

}  // namespace
}  // namespace minimod
