/// Reflection of a plane wave by an absorbing layer: from the equations of a time step themselves, which are
/// linear, so that a wave exp(iωt) of any angle solves a small banded system across the layer.
#pragma once

#include <complex>
#include <vector>

#include "boundary/boundary.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

using Complex = std::complex<double>;

/// The product of finite numbers, without the library's care for others.
inline Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// As cheap.
inline Complex inverse(Complex a) {
  return std::conj(a) / std::norm(a);
}

/// The layer on a face, along the axis across it: its nodes from the model outwards.
struct LayerLine {
  BoundaryKind kind = BoundaryKind::pml;
  Difference difference;
  double spacing = 0, dt = 0;            ///< m, s
  double alpha = 0;                      ///< the shift of a pml
  std::vector<double> eta;               ///< with the node before the layer and the ghost behind it
  std::vector<std::vector<double>> own;  ///< in the order of AbsorbingLayer::profiles
  int width = 0;                         ///< points
};

/// The equations of a wave exp(iωt), one a node across a layer and some nodes of the model before it.
class PlaneWaveRows {
 public:
  PlaneWaveRows(const LayerLine& of_layer, double velocity, double angular_frequency);
  PlaneWaveRows(const PlaneWaveRows&) = delete;
  PlaneWaveRows& operator=(const PlaneWaveRows&) = delete;
  virtual ~PlaneWaveRows() = default;

  const LayerLine& layer;
  DifferenceWeights weights;
  int inner, size;  ///< the layer's first node, and all
  Complex z;        ///< exp(iωΔt)
  double scale;     ///< (V Δt)²
  double square;    ///< square of the wave number: in the model u⁺ − 2u + u⁻ is −scale · square of u

  virtual void add(int row, int node, Complex value) = 0;
  void add_curvature(int row, int node, Complex factor);
  void add_slope(int row, int node, Complex factor);
};

/// Layer of the axis 0, 1 or 2: at its high end where that has a layer, else at the low one.
[[nodiscard]] LayerLine layer_line(const Boundary& boundary, int axis, double spacing, double dt,
                                   Difference difference);

/// The wave number ω / V as the time step has it, 1/m.
[[nodiscard]] double wave_number(double angular_frequency, double velocity, double dt);

/// The reflected wave over the incident one, both exp(iωt), at the model's outermost node. The angle of
/// incidence (0: normal) may be complex: π/2 + i t is a wave that decays across the face. V in m/s.
[[nodiscard]] Complex plane_wave_reflection(const LayerLine& layer, double velocity, double angular_frequency,
                                            Complex angle);

}  // namespace minimod
