/// A Ricker wavelet that leaves a point source: in a homogeneous medium, and as the grid carries it.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// u = s(t − r/V) / (4πr) of a Ricker wavelet of the peak frequency f (Hz) around t0 (s); 0 before it starts.
[[nodiscard]] double point_source(double r, double velocity, double t, double f, double t0);

/// Relative L2 error of that trace at distance r (m) far from the source along an axis (axes = 1), a face
/// diagonal (2) or the space diagonal (3) of a grid with the same spacing h (m) everywhere, in theory: by
/// Parseval the mean of |A e^(−iωr/c) − e^(−iωr/V)|² over the wavelet's energy spectrum ω⁴ e^(−2(ω/2πf)²).
/// c is the numerical phase velocity. A is the amplitude that the method of stationary phase gives for waves
/// whose surface of constant frequency Σ g(k_i) = (2/VΔt)² sin²(ωΔt/2) is no sphere (Lighthill 1960):
/// (2 / g'')^((axes − 1) / 2).
[[nodiscard]] double predicted_ricker_error(double r, int axes, double f, double velocity, double h,
                                            double dt, Difference difference = {});

}  // namespace minimod
