/// Stability and sampling of the scheme.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The greatest stable Δt in s: 2 / (V_max √(Σ_axes S/h²)), S = |c0| + 2 Σ|c_m| of the difference.
[[nodiscard]] double stable_dt_limit(double v_max, Point3 spacing, Difference difference = {});

/// The same of the VTI equations (kernels/equations/vti.hpp), V along the axis and ε ≥ δ each at its
/// greatest: 2 / (V √λ), λ the greater eigenvalue of [(1 + 2ε) H, √(1 + 2δ) √(H Z); √(1 + 2δ) √(H Z), Z] with
/// H = S (1/hx² + 1/hy²) and Z = S/hz².
[[nodiscard]] double vti_dt_limit(double v_max, double epsilon, double delta, Point3 spacing,
                                  Difference difference = {});

/// Share of the limit that `--dt auto` takes.
inline constexpr double default_dt_fraction = 0.8;

/// Points per wavelength at frequency f (Hz) where it is shortest: V_min / (f · greatest spacing).
[[nodiscard]] double points_per_wavelength(double v_min, Point3 spacing, double frequency);

}  // namespace minimod
