/// What an absorbing layer reflects of a plane wave: from the equations of a time step themselves, which are
/// linear, so that a wave exp(iωt) of any angle solves a small banded system across the layer.
#pragma once

#include <complex>
#include <vector>

#include "boundary/boundary.hpp"

namespace minimod {

/// The layer on a face, along the axis across it: its nodes from the model outwards.
struct LayerLine {
  BoundaryKind kind = BoundaryKind::pml;
  Difference difference;
  double spacing = 0, dt = 0;  ///< m, s
  double alpha = 0;            ///< the shift of a pml
  std::vector<double> eta;     ///< of a pml: with the node before the layer and the ghost behind it
  std::vector<double> taper;   ///< of a sponge
  CpmlProfile cpml;
  int width = 0;  ///< points
};

/// Of the axis 0, 1 or 2: of its high end where that has a layer, else of the low one.
[[nodiscard]] LayerLine layer_line(const Boundary& boundary, int axis, double spacing, double dt,
                                   Difference difference);

/// The wave number ω / V as the time step has it, 1/m.
[[nodiscard]] double wave_number(double angular_frequency, double velocity, double dt);

/// The reflected wave over the incident one, both exp(iωt), at the model's outermost node. The angle of
/// incidence (0: normal) may be complex: π/2 + i t is a wave that decays across the face. V in m/s.
[[nodiscard]] std::complex<double> plane_wave_reflection(const LayerLine& layer, double velocity,
                                                         double angular_frequency,
                                                         std::complex<double> angle);

}  // namespace minimod
