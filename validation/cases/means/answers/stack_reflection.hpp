/// The reflection of a point source at plane layers, straight above them: the exact spectrum.
///
/// As a sum over horizontal wavenumbers k (Sommerfeld) the field reflected to a receiver on the source's
/// vertical is, with γ₁ = √(k² − ω²/c₁²) and k dk = γ₁ dγ₁,
///
///     u(ω) = s(ω)/4π ∫ R exp(−γ₁ Z) dγ₁ = s(ω) exp(iωZ/c₁)/4π ∫ R(γ₀ + q) exp(−q Z) dq over q ≥ 0,
///
/// from γ₀ = −iω/c₁ on, Z being the sum of both heights above the first interface: the path is bent to that
/// of constant phase, which crosses no cut. R follows from the lowest interface up,
///
///     R_j = (r_j + R_{j+1} e_j) / (1 + r_j R_{j+1} e_j),  r_j = (γ_j − γ_{j+1}) / (γ_j + γ_{j+1}),
///
/// e_j = exp(−2 γ_{j+1} d_{j+1}) of the layer below interface j (u and u_z are continuous).
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace minimod {

/// From `depth` (m) on the velocity is `v` (m/s).
struct StackLayer {
  double depth = 0, v = 0;
};

/// ∫ R exp(−q Z) dq times Z: the reflected field over that of a mirror at the first interface, at angular
/// frequency ω with a positive imaginary part (spectra of f exp(iωt), so that f counts with exp(−Im ω t)).
/// `layers`: that of source and receiver first.
[[nodiscard]] std::complex<double> stack_reflection(std::span<const StackLayer> layers, double heights,
                                                    std::complex<double> omega);

/// The spectrum Σ f exp(iωt) of samples `dt` apart.
[[nodiscard]] std::complex<double> spectrum_at(const std::vector<double>& samples, double dt,
                                               std::complex<double> omega);

}  // namespace minimod
