#include "boundary/plane_wave.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "boundary/layer.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// Equations whose unknowns have `band` others on either side, for two right-hand sides.
class BandedSystem {
 public:
  BandedSystem(int size, int band)
      : size_(size), band_(band), matrix_(static_cast<std::size_t>(size) * (3 * band + 1)), right_(size) {}

  /// j from i − 2 band, which rows reach once they have been exchanged, to i + band.
  [[nodiscard]] Complex& at(int i, int j) {
    return matrix_[static_cast<std::size_t>(i) * (3 * band_ + 1) + (j - i + 2 * band_)];
  }
  [[nodiscard]] std::array<Complex, 2>& right(int i) { return right_[i]; }

  /// The first unknown of either solution: elimination from the last one on, with pivots.
  [[nodiscard]] std::array<Complex, 2> first_unknown() {
    for (int k = size_ - 1; k > 0; --k) {
      choose_pivot(k);
      const Complex over_pivot = inverse(at(k, k));
      for (int i = std::max(0, k - band_); i < k; ++i) {
        const Complex factor = times(at(i, k), over_pivot);
        if (factor == Complex()) continue;
        for (int j = std::max(0, k - 2 * band_); j < k; ++j) at(i, j) -= times(factor, at(k, j));
        for (int s = 0; s < 2; ++s) right_[i][s] -= times(factor, right_[k][s]);
      }
    }
    return {right_[0][0] / at(0, 0), right_[0][1] / at(0, 0)};
  }

 private:
  /// Exchanges row k with the one whose value in column k is the greatest.
  void choose_pivot(int k) {
    int greatest = k;
    for (int i = std::max(0, k - band_); i < k; ++i) {
      if (std::norm(at(i, k)) > std::norm(at(greatest, k))) greatest = i;
    }
    if (greatest == k) return;
    for (int j = std::max(0, k - 2 * band_); j <= k; ++j) std::swap(at(greatest, j), at(k, j));
    std::swap(right_[greatest], right_[k]);
  }

  int size_, band_;
  std::vector<Complex> matrix_;
  std::vector<std::array<Complex, 2>> right_;
};

/// A second difference's −h² / 4 of a wave as a polynomial in s = sin²(k h / 2), from s on: sin²(m k h / 2)
/// is ½ − ½ T_m(1 − 2s), T_m = Chebyshev's polynomial.
std::array<double, most_radius> powers_of_sine(const DifferenceWeights& weights, int radius) {
  std::array<double, most_radius> terms{};
  for (int m = 1; m <= radius; ++m) {
    double term = m * m;
    for (int j = 1; j <= m; ++j) {
      terms[j - 1] += weights.second[m - 1] * term;
      term *= -4.0 * (m + j) * (m - j) / ((2 * j + 1.0) * (2 * j + 2.0));
    }
  }
  return terms;
}

/// The wave number k across the layer of which the star's second difference is −`square`.
Complex star_wave_number(Complex square, double spacing, const DifferenceWeights& weights, int radius) {
  const Complex wanted = square * (spacing * spacing / 4);
  const std::array<double, most_radius> terms = powers_of_sine(weights, radius);
  Complex s = wanted;
  constexpr int most_iterations = 30;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    Complex value, slope;
    for (int j = radius; j > 0; --j) {
      slope = times(slope, s) + j * terms[j - 1];
      value = times(value + terms[j - 1], s);
    }
    const Complex change = times(value - wanted, inverse(slope));
    s -= change;
    if (std::abs(change) < 1e-14) break;
  }
  return 2.0 * std::asin(std::sqrt(s)) / spacing;
}

/// A layer behind some nodes of the model, which a wave meets from the left.
class PlaneWaveProblem final : public PlaneWaveRows {
 public:
  PlaneWaveProblem(const LayerLine& of_layer, double velocity, double angular_frequency, Complex angle)
      : PlaneWaveRows(of_layer, velocity, angular_frequency),
        kind_(layer_of(layer.kind)),
        system_(size, kind_.reach(layer.difference.radius)) {
    const double number = wave_number(angular_frequency, velocity, layer.dt);
    const Complex along = number * std::sin(angle), across = number * std::cos(angle);
    square_along_ = times(along, along);
    across_ = star_wave_number(times(across, across), layer.spacing, weights, layer.difference.radius);
    if ((across_ * std::conj(across)).real() < 0) across_ = -across_;
  }

  [[nodiscard]] Complex reflection() {
    for (int i = 0; i < size; ++i) {
      add_curvature(i, i, scale);
      system_.at(i, i) += diagonal(i);
      kind_.add_to(*this, i);
    }
    const auto [of_incident, of_reflected] = system_.first_unknown();
    return (incident(0) - of_incident) / (of_reflected - reflected(0));
  }

  /// To the left of the first node the two waves are given; behind the layer u is 0.
  void add(int row, int node, Complex value) override {
    if (node >= size) return;
    if (node >= 0) {
      system_.at(row, node) += value;
      return;
    }
    system_.right(row)[0] -= times(value, incident(node));
    system_.right(row)[1] -= times(value, reflected(node));
  }

 private:
  [[nodiscard]] Complex wave(int node, double sign) const {
    return std::exp(Complex(0, sign * (node - inner + 1) * layer.spacing) * across_);
  }
  [[nodiscard]] Complex incident(int node) const { return wave(node, -1); }
  [[nodiscard]] Complex reflected(int node) const { return wave(node, 1); }

  /// u⁺ and u⁻, and the difference along the face.
  [[nodiscard]] Complex diagonal(int node) const {
    const Complex along = -scale * square_along_;
    return node < inner ? scale * square + along : along - kind_.over_time(*this, node - inner);
  }

  const AbsorbingLayer& kind_;
  BandedSystem system_;
  Complex square_along_, across_;
};

}  // namespace

PlaneWaveRows::PlaneWaveRows(const LayerLine& of_layer, double velocity, double angular_frequency)
    : layer(of_layer),
      weights(difference_weights(layer.difference)),
      inner(layer.difference.radius + 2),
      size(inner + layer.width),
      z(std::polar(1.0, angular_frequency * layer.dt)),
      scale(velocity * velocity * layer.dt * layer.dt) {
  const double number = wave_number(angular_frequency, velocity, layer.dt);
  square = number * number;
}

void PlaneWaveRows::add_curvature(int row, int node, Complex factor) {
  const double over = 1 / (layer.spacing * layer.spacing);
  add(row, node, factor * (weights.centre * over));
  for (int m = 1; m <= layer.difference.radius; ++m) {
    add(row, node - m, factor * (weights.second[m - 1] * over));
    add(row, node + m, factor * (weights.second[m - 1] * over));
  }
}

void PlaneWaveRows::add_slope(int row, int node, Complex factor) {
  for (int m = 1; m <= layer.difference.radius; ++m) {
    const Complex value = factor * (weights.first[m - 1] / layer.spacing);
    add(row, node - m, -value);
    add(row, node + m, value);
  }
}

LayerLine layer_line(const Boundary& boundary, int axis, double spacing, double dt, Difference difference) {
  const PmlWidths& w = boundary.spec.widths;
  const int low = axis == 0 ? w.left : axis == 1 ? w.front : w.top;
  const int high = axis == 0 ? w.right : axis == 1 ? w.back : w.bottom;
  const AxisProfile& profile = axis == 0 ? boundary.x : axis == 1 ? boundary.y : boundary.z;
  LayerLine line{boundary.spec.kind, difference, spacing, dt, boundary.alpha, {}, {}, high > 0 ? high : low};
  const auto outwards = [&](const std::vector<double>& values, int count) {
    std::vector<double> part;
    for (int m = 0; m < count && !values.empty(); ++m) {
      part.push_back(high > 0 ? values[values.size() - count + m] : values[count - 1 - m]);
    }
    return part;
  };
  line.eta = outwards(profile.eta, line.width + 2);
  for (const auto& values : profile.own) line.own.push_back(outwards(values, line.width));
  return line;
}

double wave_number(double angular_frequency, double velocity, double dt) {
  return 2 * std::sin(angular_frequency * dt / 2) / (velocity * dt);
}

Complex plane_wave_reflection(const LayerLine& layer, double velocity, double angular_frequency,
                              Complex angle) {
  return PlaneWaveProblem(layer, velocity, angular_frequency, angle).reflection();
}

}  // namespace minimod
