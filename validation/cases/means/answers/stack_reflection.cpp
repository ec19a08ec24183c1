#include "validation/cases/means/answers/stack_reflection.hpp"

#include <cmath>

namespace minimod {

namespace {

using Complex = std::complex<double>;

/// Reflection of the plane wave that has γ₁ in the first layer.
Complex plane_reflection(std::span<const StackLayer> layers, Complex omega, Complex gamma1) {
  const auto square = [](Complex z) { return z * z; };
  const Complex k2 = square(gamma1) + square(omega / layers.front().v);
  const auto gamma = [&](std::size_t j) {
    return j == 0 ? gamma1 : std::sqrt(k2 - square(omega / layers[j].v));
  };
  Complex below = 0;
  for (std::size_t j = layers.size() - 1; j-- > 0;) {
    const Complex r = (gamma(j) - gamma(j + 1)) / (gamma(j) + gamma(j + 1));
    const bool last = j + 2 == layers.size();
    const Complex e = last ? 0 : std::exp(-2.0 * gamma(j + 1) * (layers[j + 2].depth - layers[j + 1].depth));
    below = (r + below * e) / (1.0 + r * below * e);
  }
  return below;
}

}  // namespace

Complex stack_reflection(std::span<const StackLayer> layers, double heights, Complex omega) {
  constexpr int steps = 4000;
  constexpr double decay = 40;  // greatest q Z of exp(−q Z)
  const Complex start = Complex(0, -1) * omega / layers.front().v;
  Complex sum = 0;
  for (int i = 0; i <= steps; ++i) {  // Simpson's rule in q Z
    const double x = decay * i / steps, weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::exp(-x) * plane_reflection(layers, omega, start + x / heights);
  }
  return sum * decay / (3.0 * steps);
}

Complex spectrum_at(const std::vector<double>& samples, double dt, Complex omega) {
  Complex sum = 0;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    sum += samples[n] * std::exp(Complex(0, 1) * omega * (static_cast<double>(n) * dt));
  }
  return sum * dt;
}

}  // namespace minimod
