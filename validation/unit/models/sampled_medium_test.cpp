#include "models/sampled_medium.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/models/loaded_model.hpp"
#include "validation/unit/models/medium_values.hpp"

namespace minimod {
namespace {

using Catch::Approx;

/// A column of `points` nodes, `h` metres apart, with a layer of `width` points on each face.
SampledMedium column(const std::string& source, int points, double h, int width = 0) {
  const int n = points + 2 * width;
  const Box3 inner{{width, width, width}, {width + 1, width + 1, width + points}};
  return {load(source), {2 * width + 1, 2 * width + 1, n}, inner, {h, h, h}};
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

}  // namespace
}  // namespace minimod
