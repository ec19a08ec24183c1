/// The reflection of a point source at a plane between two half spaces of the same density: the exact field.
///
/// The method of Cagniard and de Hoop (de Hoop 1960; Aki & Richards, Quantitative Seismology, chapter 6). At
/// each Laplace parameter σ the source's field is a sum of plane waves of the horizontal slowness (p, q), p
/// turned into the complex plane along the offset; the interface multiplies each by
///
///     R(p, q) = (η₁ − η₂) / (η₁ + η₂),  η = √(1/c² + q² − p²)
///
/// (u and u_z are continuous there). With Z = height of the source + height of the receiver above the
/// interface, x the offset and D = √(x² + Z²), the path t = p x + η₁ Z real gives
///
///     p(t, q) = (x t + i Z √(t² − (1/c₁² + q²) D²)) / D²,  dp/dt = i η₁ / √(t² − (1/c₁² + q²) D²),
///
/// and with q = √(t²/D² − 1/c₁²) sin α the sum over q becomes a mean over α:
///
///     u(t) = 1/(4πD) ∫ R̄(τ) s'(t − τ) dτ over τ ≥ D/c₁,  R̄(t) = (2/π) ∫₀^(π/2) Re R dα.
///
/// At x = 0 the slowness is imaginary and R does not depend on α. This holds for any offset where c₂ < c₁,
/// and up to the critical one, x / D < c₁ / c₂, where no head wave comes first.
#pragma once

#include <vector>

namespace minimod {

struct LayeredMedium {
  double c1 = 0;  ///< velocity of the half space of source and receiver, m/s
  double c2 = 0;  ///< velocity beyond the interface, m/s
};

/// R̄(t) of an offset x (m) and the two heights' sum Z (m), dimensionless; 0 before D/c₁. Error 65 for an
/// offset that is not pre-critical.
[[nodiscard]] double mean_reflection(const LayeredMedium& medium, double offset, double heights, double t);

/// Reflection at zero offset, in closed form: (a − b) / (a + b) with a = t/Z, b = √(t²/Z² − 1/c₁² + 1/c₂²).
[[nodiscard]] double zero_offset_reflection(const LayeredMedium& medium, double heights, double t);

/// The reflected field at n Δt, n = 0 … steps, of a Ricker wavelet of f (Hz) around t0 (s) with the source
/// amplitude of the program (a direct wave of s(t − r/c₁) / (4πr)).
[[nodiscard]] std::vector<double> reflected_ricker(const LayeredMedium& medium, double offset, double heights,
                                                   double f, double t0, double dt, int steps);

}  // namespace minimod
