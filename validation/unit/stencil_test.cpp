/// The weights of the star as floats.
#include "kernels/stencil.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace minimod;

namespace {

/// Σ m^power c_m over the axis, over h² and times 2, in double.
double moment(const float (&ring)[4], double h, int power) {
  double sum = 0;
  for (int m = 1; m <= 4; ++m) sum += 2 * std::pow(m, power) * ring[m - 1];
  return sum * h * h;
}

}  // namespace

TEST_CASE("The star's weights in float add up to zero, and long waves keep their speed", "[unit]") {
  for (const Point3 h :
       {Point3{20, 20, 20}, Point3{5, 5, 5}, Point3{12.5, 12.5, 12.5}, Point3{20, 15, 12.5},
        Point3{7.3, 7.3, 9.1}, Point3{20, 4, 10}, Point3{1, 100, 1}, Point3{1e-3, 2e-3, 5e-2}}) {
    const auto w = make_stencil_weights<float>(h);
    double sum = w.centre;
    for (const auto* ring : {&w.x, &w.y, &w.z}) {
      for (const float weight : *ring) sum += 2 * double{weight};
    }
    CAPTURE(h.x, h.y, h.z);
    CHECK(sum == 0);
    CHECK(std::abs(moment(w.x, h.x, 2) - 2) < 4e-7);
    CHECK(std::abs(moment(w.y, h.y, 2) - 2) < 4e-7);
    CHECK(std::abs(moment(w.z, h.z, 2) - 2) < 4e-7);
  }
}

TEST_CASE("The star's weights add up to zero at any spacing", "[unit]") {
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double h = 0.3 * std::pow(1.0005, i);
    const auto w = make_stencil_weights<float>({h, h * (i % 3 + 1), h});
    double sum = w.centre;
    for (const auto* ring : {&w.x, &w.y, &w.z}) {
      for (const float weight : *ring) sum += 2 * double{weight};
    }
    wrong += sum == 0 ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A constant field has no Laplacian but what its sums round", "[unit]") {
  const auto w = make_stencil_weights<float>({20, 20, 20});
  struct Constant {
    float value;
    [[nodiscard]] float x(int) const { return value; }
    [[nodiscard]] float y(int) const { return value; }
    [[nodiscard]] float z(int) const { return value; }
  };
  CHECK(evaluate(w, Constant{1}).laplacian == 0);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const float value = 1 + static_cast<float>(i) / 1000;
    sum += evaluate(w, Constant{value}).laplacian / double{value};
  }
  CHECK(std::abs(sum / 1000) < 1e-10);  // 9e-10 with weights that are each the nearest
}
