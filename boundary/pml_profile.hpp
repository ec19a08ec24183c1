/// The damping profile of the PML along one axis.
#pragma once

#include <vector>

namespace minimod {

/// An axis, as far as its profile depends on it.
struct PmlAxis {
  int points = 0;         ///< points of the axis
  int low = 0, high = 0;  ///< PML points at the low and at the high end
  double spacing = 0;     ///< m
};

/// η along one axis, dimensionless, for the points −1 … n (n + 2 values; the first and the last are the ghost
/// nodes): η = P (m/w)² with P = 3 V ln(1000) Δt / (2 w h); m = 0 at the PML point that touches the inner
/// box, w − 1 at the outermost point, w on the ghost node. Zero in the inner box. (Minimod form, arXiv
/// 2007.06048.)
[[nodiscard]] std::vector<double> make_pml_profile(const PmlAxis& axis, double velocity, double dt);

/// The shift α, a step, by which φ decays also where η is 0: φ⁺ = (φ − d) / (1 + η + α). Without it, which is
/// the form as published, φ at the layer's first node keeps all that it has met, and a field that is constant
/// across the inner box grows with it. It stands still at α = 0.42 P / w² on the axis where that is greatest,
/// whatever Δt and the box are, and at less where the medium is slower than the profile's velocity. Taken are
/// 0.04 P of the axis where P is least, where the layer reflects least, but at least twice that limit, and in
/// layers under five points, which contrasts make unstable, more (validation/README.md has the figures).
/// 0 without a layer.
[[nodiscard]] double pml_alpha(const std::vector<PmlAxis>& axes, double velocity, double dt);

/// The α below which the layer grows, for a medium of the profile's velocity.
[[nodiscard]] double least_pml_alpha(const std::vector<PmlAxis>& axes, double velocity, double dt);

/// How a layer grows without its shift, whatever Δt is: by 4.2 V / (h w (w² + 8)) a second on the axis where
/// that is greatest, from 1.7 / w⁵ of the greatest amplitude that a Ricker wavelet of four points per
/// wavelength at f_max brings to it (measured, widths 3 to 27, within 20 % and a factor of two).
struct PmlGrowth {
  double rate = 0;     ///< 1/s
  double seconds = 0;  ///< until it passes 1e-3 of that amplitude
};
[[nodiscard]] PmlGrowth pml_growth(const std::vector<PmlAxis>& axes, double velocity);

/// Σ η of a point over the axes up to which no step breaks: waves of two points a wavelength change their
/// sign and grow where η² > 4η + 4 − 4 (Δt / limit)², at the limit from here on, at a small Δt from 4.83.
inline constexpr double most_eta = 4;

}  // namespace minimod
