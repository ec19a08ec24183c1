/// Stability and sampling of the scheme.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// The greatest stable Δt in s: 2 / (V_max √(Σ_axes S/h²)), S = |c0| + 2 Σ|c_m| of the difference.
[[nodiscard]] double stable_dt_limit(double v_max, Point3 spacing, Difference difference = {});

/// Share of the limit that `--dt auto` takes.
inline constexpr double default_dt_fraction = 0.8;

/// Points per wavelength at frequency f (Hz) where it is shortest: V_min / (f · greatest spacing).
[[nodiscard]] double points_per_wavelength(double v_min, Point3 spacing, double frequency);

}  // namespace minimod
