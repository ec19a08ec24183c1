/// The field that kernels are measured on.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/measure/measurement.hpp"
#include "validation/cases/means/field_comparison.hpp"

using namespace minimod;

namespace {

/// The share of points that move by more than a thousandth of the most, and the root of the mean square.
struct Fullness {
  double share = 0, size = 0;
};

Fullness fullness(const std::vector<double>& field) {
  float most = 0;
  double squares = 0;
  for (const float value : field) {
    most = std::max(most, std::abs(value));
    squares += double{value} * value;
  }
  const auto moving =
      std::ranges::count_if(field, [&](double value) { return std::abs(value) > 1e-3 * most; });
  const auto points = static_cast<double>(field.size());
  return {static_cast<double>(moving) / points, std::sqrt(squares / points)};
}

}  // namespace

TEST_CASE("A developed wavefield fills the grid, goes on filling it, and begins at rest", "[physics]") {
  MeasureOptions options;
  options.grid.grid = Extent3{80, 70, 60};
  options.boundary.width = 8;
  options.kernels.device.kind = DeviceOption::Kind::cpu;
  const Problem setup = make_measured_problem(options);
  const DeviceChoice choice = choose_measured_device(options.kernels, setup);
  const Box3 whole{{0, 0, 0}, {80, 70, 60}};
  const DomainPart part = make_measured_part(setup, choice), noisy_part = make_measured_part(setup, choice);
  Propagator& propagator = *part.propagator;
  set_field(propagator, options.kernels, setup, choice, BenchField::source);
  const std::vector<double> field = propagator.wavefield(whole);
  const Fullness first = fullness(field);
  CHECK(first.share > 0.5);
  for (int n = 0; n < 400; ++n) propagator.step();
  const Fullness later = fullness(propagator.wavefield(whole));
  CHECK(later.share > 0.5);
  CHECK(later.size > first.size / 2);
  CHECK(later.size < first.size * 2);

  Propagator& noisy = *noisy_part.propagator;
  noisy.set_random_field(1);
  set_field(noisy, options.kernels, setup, choice, BenchField::source);
  CHECK(same_bits(noisy.wavefield(whole), field));
}
