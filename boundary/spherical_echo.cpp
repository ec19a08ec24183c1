#include "boundary/spherical_echo.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <math.h>

namespace minimod {

namespace {

constexpr double right_angle = std::numbers::pi / 2;

/// Nodes and weights of Gauss and Legendre on −1 … 1.
struct GaussRule {
  static constexpr int size = 16;

  GaussRule() : nodes(size), weights(size) {
    for (int i = 0; i < size; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (size + 0.5)), slope = 0;
      constexpr int iterations = 5;
      for (int k = 0; k < iterations; ++k) {
        double before = 0, value = 1;
        for (int j = 1; j <= size; ++j) {
          const double next = ((2 * j - 1) * x * value - (j - 1) * before) / j;
          before = value;
          value = next;
        }
        slope = size * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      nodes[i] = x;
      weights[i] = 2 / ((1 - x * x) * slope * slope);
    }
  }
  std::vector<double> nodes, weights;
};

/// Calls `each(x, weight)` at the nodes of an integral from 0 to `end`, in parts of which each has
/// GaussRule::size of them.
template <class Each>
void integrate(double end, int parts, const Each& each) {
  static const GaussRule rule;
  const double half = end / parts / 2;
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < GaussRule::size; ++i) {
      each(half * (2 * part + 1 + rule.nodes[i]), half * rule.weights[i]);
    }
  }
}

}  // namespace

double EchoPath::length() const {
  return std::hypot(across, beside);
}

double EchoPath::angle() const {
  return std::atan2(beside, across);
}

std::complex<double> plane_echo(const LayerLine& layer, double velocity, double frequency,
                                const EchoPath& path) {
  const double omega = 2 * std::numbers::pi * frequency, length = path.length();
  return plane_wave_reflection(layer, velocity, omega, path.angle()) *
         std::polar(1 / length, -wave_number(omega, velocity, layer.dt) * length);
}

SphericalEcho::SphericalEcho(const LayerLine& layer, double velocity, double frequency,
                             const std::vector<EchoPath>& paths)
    : number_(wave_number(2 * std::numbers::pi * frequency, velocity, layer.dt)) {
  constexpr double most_across = 1.2;  // over a spacing: what decays faster is none of the grid's waves
  constexpr double most_beside = 2.5;  // over k
  constexpr double most_decay = 14;    // e-folds over the shortest way across
  constexpr double turn_of_part = 25;  // radians that the nodes of a part resolve
  const double omega = 2 * std::numbers::pi * frequency,
               farthest = std::ranges::max(paths, {}, &EchoPath::length).length();
  const double nearest = std::ranges::min(paths, {}, &EchoPath::across).across, phase = number_ * farthest;
  const double end = std::asinh(
      std::min({most_beside, most_across / (number_ * layer.spacing), most_decay / (number_ * nearest)}));
  const auto reflected = [&](std::complex<double> angle) {
    return plane_wave_reflection(layer, velocity, omega, angle);
  };
  integrate(right_angle, 2 + static_cast<int>(phase / turn_of_part), [&](double angle, double weight) {
    waves_.push_back({std::sin(angle),
                      {0, -std::cos(angle)},
                      std::complex<double>(0, -weight * std::sin(angle)) * reflected(angle)});
  });
  integrate(end, 1 + static_cast<int>(phase * end / (3 * turn_of_part)), [&](double t, double weight) {
    waves_.push_back({std::cosh(t), {-std::sinh(t), 0}, weight * std::cosh(t) * reflected({right_angle, t})});
  });
}

std::complex<double> SphericalEcho::at(const EchoPath& path) const {
  const double across = number_ * path.across, beside = number_ * path.beside;
  std::complex<double> sum;
  for (const PlaneWave& wave : waves_) {
    const double size = ::j0(wave.beside * beside) * std::exp(wave.across.real() * across);
    sum += wave.weight * std::polar(1.0, wave.across.imag() * across) * size;
  }
  return number_ * sum;
}

}  // namespace minimod
