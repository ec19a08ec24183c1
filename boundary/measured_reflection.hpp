/// Reflections of the absorbing layers: measured, as their profiles alone promise what no layer of a few
/// points keeps. The verification case `boundaries` measures it; validation/reflection_table.py writes its
/// figures into a file beside each kind's (pml_reflection.inc).
#pragma once

#include <optional>

#include "boundary/boundary.hpp"

namespace minimod {

/// The greatest reflected |u| over the greatest of the incident wave at a receiver on the model's outermost
/// points, in dB.
struct Reflection {
  double face = 0;     ///< at the centre of a face: normal incidence
  double edge = 0;     ///< at the centre of an edge: 45 degrees on two layers
  double corner = 0;   ///< at a corner: 55 degrees on three layers
  double grazing = 0;  ///< along the layer: source and receiver a point inwards of it, five wavelengths apart
};

/// Conditions of the measurement: a homogeneous cube of 73 points, source in its centre.
struct ReflectionConditions {
  double velocity = 2000;        ///< m/s, of the medium and of the layer's profile
  double spacing = 20;           ///< m, along each axis
  double dt_fraction = 0.8;      ///< share of the stability limit
  double peak_frequency = 10;    ///< Hz, of a Ricker wavelet that starts at 0
  double grazing_offset = 1000;  ///< m
  /// In a medium and on a grid of any other size.
  [[nodiscard]] constexpr double points_per_wavelength() const {
    return velocity / (peak_frequency * spacing);
  }
};
inline constexpr ReflectionConditions reflection_conditions;

struct MeasuredReflection {
  int width;  ///< points
  Reflection reflection;
};

/// Reflection of a layer of `width` points, linear in dB between the widths that were measured; of the widest
/// one beyond it. Nothing where there is no layer.
[[nodiscard]] std::optional<Reflection> measured_reflection(BoundaryKind kind, int width);

/// Layers of fewer points reflect what a reader of the traces takes for signal.
inline constexpr int least_absorbing_width = 10;

}  // namespace minimod
