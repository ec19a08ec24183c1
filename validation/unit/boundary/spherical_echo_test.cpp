#include "boundary/spherical_echo.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "boundary/layer.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {
namespace {

constexpr double spacing = reflection_conditions.spacing, velocity = reflection_conditions.velocity;
constexpr double peak_frequency = reflection_conditions.peak_frequency, right = std::numbers::pi / 2;

double time_step() {
  return reflection_conditions.dt_fraction * stable_dt_limit(velocity, {spacing, spacing, spacing});
}

LayerLine line_of(BoundaryKind kind, int width, double profile_velocity = velocity,
                  StarWeights weights = StarWeights::taylor) {
  const int points = 3 * width;
  const Boundary boundary =
      make_boundary(make_boundary_spec(kind, width, false, profile_velocity, peak_frequency),
                    {points, points, points}, {spacing, spacing, spacing}, time_step());
  return layer_line(boundary, 2, spacing, time_step(), {stencil_radius, weights});
}

/// The greatest |u| of a Ricker wavelet whose spectrum at (i + 1/2) df is multiplied by these.
double peak_of(const std::vector<std::complex<double>>& factors, double df) {
  constexpr int times = 400;
  double greatest = 0;
  for (int n = 0; n < times; ++n) {
    double u = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const double f = (static_cast<double>(i) + 0.5) * df, x = f / peak_frequency;
      u += x * x * std::exp(-x * x) *
           (factors[i] * std::polar(1.0, 2 * std::numbers::pi * f * n / (times * df))).real();
    }
    greatest = std::max(greatest, std::abs(u));
  }
  return greatest;
}

/// Source and receiver a point inwards of the layer, dB of the direct wave.
double grazing_echo(const LayerLine& line) {
  const double offset = reflection_conditions.grazing_offset, df = peak_frequency / 10;
  std::vector<std::complex<double>> echo, direct;
  for (double f = df / 2; f < 2.45 * peak_frequency; f += df) {
    echo.push_back(SphericalEcho(line, velocity, f, {{2 * spacing, offset}}).at({2 * spacing, offset}));
    direct.push_back(
        std::polar(1 / offset, -wave_number(2 * std::numbers::pi * f, velocity, line.dt) * offset));
  }
  return 20 * std::log10(peak_of(echo, df) / peak_of(direct, df));
}

TEST_CASE("a layer that absorbs nothing sends all of a plane wave back", "[unit]") {
  for (const StarWeights weights : {StarWeights::taylor, StarWeights::minimax}) {
    const LayerLine closed = line_of(BoundaryKind::pml, 10, 0, weights);
    for (const double degrees : {0.0, 20.0, 45.0, 80.0, 89.0}) {
      const double angle = degrees * right / 90;
      CHECK(std::abs(plane_wave_reflection(closed, velocity, 60, angle)) == Catch::Approx(1).epsilon(1e-9));
    }
  }
}

TEST_CASE("a wave along a layer is sent back whole, whatever the layer, with its sign turned", "[unit]") {
  for (const auto& [kind, width] : {std::pair{BoundaryKind::pml, 27}, std::pair{BoundaryKind::cpml, 10},
                                    std::pair{BoundaryKind::sponge, 20}}) {
    const auto r = plane_wave_reflection(line_of(kind, width), velocity, 60, right * (1 - 1e-7));
    CHECK(std::abs(r + 1.0) < 1e-3);
    CHECK(std::abs(plane_wave_reflection(line_of(kind, width), velocity, 60, 0)) < 0.05);
  }
}

TEST_CASE("waves along a layer have the echo that was measured", "[unit]") {
  constexpr int least_width = 6;
  int rows = 0;
  for (const BoundaryFacts& kind : boundaries) {
    for (const auto& [width, reflection] : kind.layer().measured()) {
      if (width < least_width || reflection.grazing < -80) continue;
      CAPTURE(kind.name, width);
      CHECK(grazing_echo(line_of(kind.choice, width)) == Catch::Approx(reflection.grazing).margin(3));
      ++rows;
    }
  }
  CHECK(rows >= 15);
}

}  // namespace
}  // namespace minimod
