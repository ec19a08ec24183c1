#include "src/solver/numerics/dispersion.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch_test_macros.hpp>

#include "kernels/grid.hpp"
#include "kernels/stencil.hpp"
#include "src/solver/numerics/time_step.hpp"

using namespace minimod;

namespace {
constexpr double velocity = 2000, pi = std::numbers::pi;
bool near(double value, double expected, double relative) {
  return std::abs(value - expected) <= relative * std::abs(expected);
}
}  // namespace

TEST_CASE("Steps in time alone make a wave too fast by the factor 1 + (omega dt)^2 / 24", "[unit]") {
  const double f = 15, dt = 0.25e-3, distance = 400;
  const double expected = -distance / velocity * std::pow(2 * pi * f * dt, 2) / 24;
  CHECK(near(predicted_phase_error(distance, f, velocity, {5, 5, 5}, dt), expected, 1e-3));
  CHECK(near(predicted_phase_error(2 * distance, f, velocity, {5, 5, 5}, dt), 2 * expected, 1e-3));
}

TEST_CASE("Steps in space alone make a wave along an axis too slow by (k h)^8 / 6300", "[unit]") {
  const double f = 5, h = 10, distance = 1000, dt = 1e-7;
  const double expected = distance / velocity * std::pow(2 * pi * f / velocity * h, 8) / 6300;
  CHECK(near(predicted_phase_error(distance, f, velocity, {h, h, h}, dt), expected, 2e-2));
  const double along = numerical_phase_velocity({0, -2, 0}, 4 * f, velocity, {h, h, h}, dt);
  const double across = numerical_phase_velocity({1, 1, 1}, 4 * f, velocity, {h, h, h}, dt);
  CHECK(along < across);
  CHECK(across < velocity);
}

TEST_CASE("By minimax weights waves along an axis keep their speed to 1e-5 down to the points that they name",
          "[unit]") {
  constexpr double h = 10, dt = 1e-7;
  for (int radius = 2; radius <= most_radius; ++radius) {
    const auto speed = [&](double points, StarWeights weights) {
      return numerical_phase_velocity({0, 0, 1}, velocity / (h * points), velocity, {h, h, h}, dt,
                                      {radius, weights});
    };
    const double least = minimax_points_per_wavelength[radius];
    CAPTURE(radius);
    for (const double more : {1.0, 1.1, 1.5, 3.0}) {
      CHECK(near(speed(more * least, StarWeights::minimax), velocity, 1.02e-5));
    }
    CHECK(!near(speed(0.9 * least, StarWeights::minimax), velocity, 2e-5));
    CHECK(!near(speed(least, StarWeights::taylor), velocity, 3e-5));
  }
}

TEST_CASE("The phase velocity inverts the frequency of a wave vector", "[unit]") {
  const Point3 h{10, 8, 12.5}, k{0.11, -0.07, 0.13};
  const double dt = 0.7 * stable_dt_limit(velocity, h);
  const double omega = numerical_frequency(k, velocity, h, dt);
  const double found = numerical_phase_velocity(k, omega / (2 * pi), velocity, h, dt);
  CHECK(near(found, omega / std::hypot(k.x, k.y, k.z), 1e-14));
}

TEST_CASE("At the stability limit the shortest wave alternates from step to step, beyond it grows",
          "[unit]") {
  const Point3 h{10, 8, 12.5}, shortest{pi / h.x, pi / h.y, pi / h.z};
  for (const Difference difference : {Difference(), Difference(stencil_radius, StarWeights::minimax)}) {
    const double limit = stable_dt_limit(velocity, h, difference);
    CHECK(
        near(numerical_frequency(shortest, velocity, h, limit * (1 - 1e-12), difference), pi / limit, 1e-5));
    CHECK(std::isnan(numerical_frequency(shortest, velocity, h, 1.001 * limit, difference)));
  }
}

TEST_CASE("A wave that is too short for the grid never arrives", "[unit]") {
  const double h = 10, dt = 0.5 * stable_dt_limit(velocity, {h, h, h});
  CHECK(numerical_phase_velocity({1, 0, 0}, velocity / (1.5 * h), velocity, {h, h, h}, dt) == 0);
  CHECK(std::isinf(predicted_phase_error(100, velocity / (1.5 * h), velocity, {h, h, h}, dt)));
}

TEST_CASE("Waves with the least points per wavelength are as fast with every order in space", "[unit]") {
  const auto speed = [](int radius) {  // in steps of time so short that they do nothing
    const double h = 10, frequency = velocity / (h * least_points_per_wavelength(radius));
    return numerical_phase_velocity({0, 1, 0}, frequency, velocity, {h, h, h}, 1e-7, radius);
  };
  CHECK(least_points_per_wavelength(4) == 4);
  for (int radius = 1; radius <= most_radius; ++radius) {
    CAPTURE(radius);
    CHECK(near(speed(radius), speed(4), 1e-4));
    if (radius > 1) CHECK(least_points_per_wavelength(radius) < least_points_per_wavelength(radius - 1));
  }
}
