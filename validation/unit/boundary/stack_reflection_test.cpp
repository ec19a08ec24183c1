#include "validation/cases/means/answers/stack_reflection.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "validation/cases/means/answers/layered_medium.hpp"

using namespace minimod;
using Complex = std::complex<double>;

namespace {
constexpr double sum_of_heights = 300;
}

TEST_CASE("Sommerfeld's integral over one interface is Cagniard's closed form", "[unit]") {
  for (const LayeredMedium& medium : {LayeredMedium{1500, 2500}, LayeredMedium{2500, 1500}}) {
    const std::vector<StackLayer> layers{{0, medium.c1}, {200, medium.c2}};
    for (const double f : {5.0, 15.0, 30.0}) {
      const Complex omega(2 * std::numbers::pi * f, 3);
      // The response to an impulse is R0 at its arrival and R0' after it, over 4 pi Z.
      const double first = sum_of_heights / medium.c1, dt = 1e-5;
      const auto at = [&](double t) { return zero_offset_reflection(medium, sum_of_heights, t); };
      Complex sum = at(first * (1 + 1e-12));
      for (double t = first; t < first + 6; t += dt) {
        const double rise = at(t + dt) - at(t == first ? t * (1 + 1e-12) : t);
        sum += rise * std::exp(Complex(0, 1) * omega * (t + dt / 2 - first));
      }
      CHECK(std::abs(stack_reflection(layers, sum_of_heights, omega) - sum) < 1e-5);
    }
  }
}

TEST_CASE("A layer that is none reflects nothing, a thick one first as its upper interface", "[unit]") {
  const Complex omega(100, 40);
  const std::vector<StackLayer> none{{0, 1500}, {200, 2500}, {200, 1500}};
  CHECK(std::abs(stack_reflection(none, sum_of_heights, omega)) < 1e-12);
  const std::vector<StackLayer> thick{{0, 1500}, {200, 2500}, {2200, 1500}}, half{{0, 1500}, {200, 2500}};
  CHECK(std::abs(stack_reflection(thick, sum_of_heights, omega) -
                 stack_reflection(half, sum_of_heights, omega)) < 1e-12);
}

TEST_CASE("The spectrum of an impulse is 1 at all frequencies", "[unit]") {
  const std::vector<double> impulse{0, 0, 1 / 0.002, 0};
  const Complex omega(120, 0.5);
  CHECK(std::abs(spectrum_at(impulse, 0.002, omega) - std::exp(Complex(0, 1) * omega * 0.004)) < 1e-12);
}
