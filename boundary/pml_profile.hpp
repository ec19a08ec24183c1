/// The damping profile of the PML along one axis.
#pragma once

#include <vector>

namespace minimod {

/// What the profile of an axis depends on.
struct PmlAxis {
  int points = 0;         ///< of the axis
  int low = 0, high = 0;  ///< PML points at the low and at the high end
  double spacing = 0;     ///< m
};

/// η along one axis, dimensionless, for the points −1 … n (n + 2 values; the first and the last are the ghost
/// nodes): η = P (m/w)² with P = 3 V ln(1000) Δt / (2 w h); m = 0 at the PML point that touches the inner
/// box, w − 1 at the outermost point, w on the ghost node. Zero in the inner box. (Minimod form, arXiv
/// 2007.06048.)
[[nodiscard]] std::vector<double> make_pml_profile(const PmlAxis& axis, double velocity, double dt);

}  // namespace minimod
