#include "models/sampled_medium.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/process/threads.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"

namespace minimod {
namespace {

using Catch::Approx;

/// A column of `points` nodes, `h` metres apart, with a layer of `width` points on each face.
SampledMedium column(const std::string& source, int points, double h, int width = 0) {
  const int n = points + 2 * width;
  const Box3 inner{{width, width, width}, {width + 1, width + 1, width + points}};
  return {load(source), {2 * width + 1, 2 * width + 1, n}, inner, {h, h, h}};
}

/// All planes of a grid after each other.
std::vector<float> values_of(const SampledMedium& medium, Extent3 n) {
  const std::size_t plane = std::size_t(n.x) * n.y;
  std::vector<float> values(plane * n.z);
  for (int z = 0; z < n.z; ++z) medium.sample_plane(z, std::span(values).subspan(z * plane, plane));
  return values;
}

VelocityModel model_of(Extent3 n, Point3 spacing, const std::function<double(int, int, int)>& velocity) {
  VelocityModel model;
  model.n = n;
  model.spacing = spacing;
  model.from_file = true;
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) model.v.push_back(static_cast<float>(velocity(x, y, z)));
    }
  }
  model.held = {0, n.z};
  const auto [least, greatest] = std::minmax_element(model.v.begin(), model.v.end());
  model.v_min = *least;
  model.v_max = *greatest;
  return model;
}

/// On a grid whose box between `begin` and as far from the other end is the model's.
SampledMedium medium_of(const VelocityModel& model, Extent3 n, Point3 spacing, Index3 begin) {
  return {model, n, {begin, {n.x - begin.x, n.y - begin.y, n.z - begin.z}}, spacing};
}

std::vector<float> sample(const VelocityModel& model, Extent3 n, Point3 spacing, Index3 begin) {
  return values_of(medium_of(model, n, spacing, begin), n);
}

double compressibility(float v) {
  return 1 / (double(v) * v);
}

// ---- extremes

TEST_CASE("Values beyond V are the mean of the layers in a node's cell", "[unit]") {
  const SampledMedium medium = column("layered:1500/1000@0,1500/2000@24,1500/3000@31", 6, 10, 2);
  REQUIRE(medium.columns() == 1);
  const auto at = [&](int z) { return medium.column(0, z); };
  CHECK(at(0) == 1000);  // in the layer
  CHECK(at(3) == 1000);
  CHECK(at(4) == Approx(0.9 * 1000 + 0.1 * 2000));        // 15 to 25 m
  CHECK(at(5) == Approx(0.6 * 2000 + 0.4 * 3000));        // 25 to 35 m
  for (const int z : {6, 7, 8, 9}) CHECK(at(z) == 3000);  // the layer goes on
  CHECK_FALSE(medium.repeats(5));                         // though V does
  CHECK(medium.repeats(7));
}

TEST_CASE("the extremes of a medium are those of its layers that the nodes have", "[unit]") {
  for (const auto& [source, least, greatest] : {std::tuple{"constant:2000.5", 2000.5F, 2000.5F},
                                                {"layered:2000@0,9000@100000", 2000.0F, 2000.0F},
                                                {"layered:300@-5000,2000@-100", 2000.0F, 2000.0F},
                                                {"layered:1500@0,2500@190", 1500.0F, 2500.0F},
                                                {"layered:1500@0,2500@380", 1500.0F, 1500.0F},
                                                {"gradient:1500+0.5z", 1500.0F, 1690.0F},
                                                {"gradient:2000-1e-1z", 1962.0F, 2000.0F}}) {
    INFO(source);
    const SampledMedium medium = column(source, 20, 20, 10);
    CHECK(medium.v_min() == least);
    CHECK(medium.v_max() == greatest);
    CHECK(medium.model().name == source);
    const auto values = values_of(medium, {21, 21, 40});
    CHECK(*std::ranges::max_element(values) == medium.v_highest());
    CHECK(*std::ranges::min_element(values) >= 0.95F * least);
    CHECK(medium.v_highest() <= 1.2F * greatest);
    if (medium.band_spacing() > 0) continue;  // beside an interface samples leave the extremes
    CHECK(*std::ranges::min_element(values) == least);
    CHECK(medium.v_highest() == greatest);
  }
}

TEST_CASE("a thin fast layer counts as fast as the nodes have it", "[unit]") {
  const SampledMedium thin = column("layered:1500@0,3000@300,1500@303", 60, 10);
  CHECK(thin.v_highest() < 2200);
  CHECK(thin.v_max() == thin.v_highest());
  CHECK(thin.v_min() == 1500);
}

TEST_CASE("beside the strongest interface V stays between 0.95 and 1.2 of the model's extremes", "[unit]") {
  for (double depth = 290; depth < 311; depth += 1.25) {
    const SampledMedium medium = column(text("layered:330@0,5900@", depth), 60, 10);
    CHECK(medium.v_min() == 330);
    CHECK(medium.v_max() == 5900);
    const auto v = values_of(medium, {1, 1, 60});
    const auto [least, greatest] = std::ranges::minmax(v);
    CHECK(least >= 0.95F * 330);
    CHECK(greatest == medium.v_highest());
    CHECK(greatest <= 1.2F * 5900 * (1 + 1e-6F));
  }
}

TEST_CASE("the extremes of a resampled file are the file's, where its samples come to them", "[unit]") {
  const VelocityModel model = model_of(
      {9, 7, 8}, {10, 10, 10}, [](int x, int y, int z) { return 2000 + 700 * std::sin(x + 3.0 * y * z); });
  for (const double h : {10.0, 7.0, 5.0, 17.0, 20.0}) {
    INFO(h);
    const Extent3 inner = inner_extent(model, {h, h, h}, 1), n{inner.x + 4, inner.y + 4, inner.z + 4};
    const SampledMedium medium = medium_of(model, n, {h, h, h}, {2, 2, 2});
    const auto values = values_of(medium, n);
    const float least = *std::ranges::min_element(values), greatest = *std::ranges::max_element(values);
    CHECK(medium.v_min() == std::max(least, model.v_min));
    CHECK(medium.v_max() == std::min(greatest, model.v_max));
    CHECK(medium.v_highest() == greatest);
    CHECK(medium.band_spacing() == (h == 10 ? 0 : std::max(h, 10.0)));
    CHECK(medium.spacing() == Point3{h, h, h});
  }
}

TEST_CASE("a gradient that comes to 0 within the grid is refused, beyond it is not", "[unit]") {
  CHECK(column("gradient:1500-2z", 38, 20).v_min() == 20);
  const Outcome refused = outcome_of([] { (void)column("gradient:1500-2z", 39, 20); });
  CHECK(refused.kind == ErrorKind::data);
  CHECK(refused.says("-20 m/s at a depth of 760 m"));
}

TEST_CASE("the time through a gradient's nodes is its closed form", "[unit]") {
  const double v0 = 1500, k = 0.6, h = 20;
  const SampledMedium medium = column("gradient:1500+0.6z", 101, h);
  const auto v = values_of(medium, {1, 1, 101});
  double time = 0;
  for (int z = 0; z < 100; ++z) time += h / 2 * (1 / v[z] + 1 / v[z + 1]);
  CHECK(time == Approx(std::log(1 + k * 100 * h / v0) / k).epsilon(1e-5));
}

TEST_CASE("the outermost values of the model go on in the absorbing layer", "[unit]") {
  const auto v = values_of(column("layered:1000@-50,1500@-20,2000@200,3000@420", 40, 10, 5), {11, 11, 50});
  CHECK(v.front() == 1500);
  CHECK(v.back() == 2000);
}

TEST_CASE("a plane that repeats has the values of the plane before", "[unit]") {
  const auto new_planes = [](const SampledMedium& medium, Extent3 n) {
    const auto values = values_of(medium, n);
    const std::ptrdiff_t plane = std::ptrdiff_t{n.x} * n.y;
    int found = 1;
    for (int z = 1; z < n.z; ++z) {
      const auto here = values.begin() + z * plane;
      if (!medium.repeats(z)) ++found;
      CHECK((!medium.repeats(z) || std::equal(here, here + plane, here - plane)));
    }
    return found;
  };
  const Extent3 n{11, 11, 30};
  CHECK(new_planes(column("constant:2000", 20, 10, 5), n) == 1);
  CHECK(new_planes(column("layered:1500@0,2500@95", 20, 10, 5), n) ==
        18);  // 8 to either side, and two beyond
  CHECK(new_planes(column("layered:1500@0,2500@100", 20, 10, 5), n) == 17);
  CHECK(new_planes(column("gradient:1500+0.5z", 20, 10, 5), n) == 20);
  const VelocityModel file = model_of({9, 7, 8}, {10, 10, 10}, [](int x, int, int) { return 2000 + x; });
  for (const double h : {10.0, 7.0}) {
    const Extent3 inner = inner_extent(file, {h, h, h}, 1), all{inner.x + 4, inner.y + 4, inner.z + 4};
    CHECK(new_planes(medium_of(file, all, {h, h, h}, {2, 2, 2}), all) == inner.z);
  }
}

// ---- interfaces

TEST_CASE("a layer weighs what it is thick, wherever its interfaces lie", "[unit]") {
  const double h = 20;
  for (const float fast : {3000.0F, 6000.0F}) {  // the second is kept within bounds
    const auto whole = [&](double top, double thick) {
      const std::string source = text("layered:2000@0,", fast, '@', top, ",2000@", top + thick);
      const auto v = values_of(column(source, 60, h), {1, 1, 60});
      return std::accumulate(v.begin(), v.end(), 0.0, [&](double sum, float each) {
        return sum + h * (compressibility(each) - compressibility(2000));
      });
    };
    const double a_metre = compressibility(fast) - compressibility(2000);
    for (const double top : {381.0, 389.5, 390.0, 400.0}) {
      for (const double thick : {3.0, 20.0, 50.0}) {
        INFO(fast << " m/s from " << top << " m, " << thick << " m thick");
        CHECK(whole(top, thick) == Approx(thick * a_metre).epsilon(5e-3));
      }
    }
  }
}

TEST_CASE("the step's response is antisymmetric, ends after 8 cells and rises by its window", "[unit]") {
  CHECK(step_response(0) == 0.5);
  CHECK(step_response(8) == 1);
  CHECK(step_response(-8) == 0);
  CHECK(step_response(-100) == 0);
  CHECK(step_response(7.999) == Approx(1).epsilon(1e-5));
  double greatest = 0;
  for (double cells = 0; cells < 9; cells += 0.0137) {
    CHECK(std::abs(step_response(-cells) + step_response(cells) - 1) < 1e-15);
    greatest = std::max(greatest, step_response(cells));
  }
  CHECK(greatest == Approx(1.084).epsilon(2e-3));
  // In closed form without the window, for which it is near the middle: 1/2 + Si(pi c x) / pi.
  const double slope = (step_response(1e-3) - step_response(-1e-3)) / 2e-3;
  CHECK(slope == Approx(0.92).epsilon(0.01));
}

TEST_CASE("a reflection is kept up to the band's edge", "[unit]") {
  CHECK(kept_of_reflection(1e6) == Approx(1).epsilon(1e-9));
  CHECK(kept_of_reflection(8) == Approx(1).epsilon(0.002));
  CHECK(kept_of_reflection(5.3) == Approx(0.970).epsilon(0.005));
  CHECK(kept_of_reflection(4.08) == Approx(0.262).epsilon(0.02));
  CHECK(kept_of_reflection(3) < 0.01);
}

TEST_CASE("on an interface is half of it, and 8 cells away bits are kept", "[unit]") {
  const auto v = values_of(column("layered:1500.1@0,2500.7@400", 40, 20), {1, 1, 40});
  CHECK(compressibility(v[20]) == Approx((compressibility(1500.1F) + compressibility(2500.7F)) / 2));
  CHECK(v[12] == 1500.1F);
  CHECK(v[13] != 1500.1F);
  CHECK(v[27] != 2500.7F);
  CHECK(v[28] == 2500.7F);
}

TEST_CASE("a reflection's phase is its interface's, wherever that lies in its cell", "[unit]") {
  const double h = 10;
  for (double depth = 290; depth < 301; depth += 1.25) {
    const auto v = values_of(column(text("layered:1500@0,2500@", depth), 61, h), {1, 1, 61});
    // Fourier transform of the steps at a quarter of the Nyquist wavenumber.
    const double k = 3.14159265358979 / (4 * h);
    double re = 0, im = 0;
    for (int i = 1; i < 61; ++i) {
      const double step = compressibility(v[i]) - compressibility(v[i - 1]), z = (i - 0.5) * h;
      re += step * std::cos(k * (z - depth));
      im -= step * std::sin(k * (z - depth));
    }
    const double jump = compressibility(2500) - compressibility(1500);
    const double of_differences = std::sin(k * h / 2) / (k * h / 2);
    INFO(depth);
    CHECK(re / (jump * of_differences) == Approx(1).epsilon(2e-3));
    CHECK(std::abs(im / jump) < 2e-3);
  }
}

// ---- resampling

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
