/// A Ricker wavelet that leaves a point source: in a homogeneous medium, and as the grid carries it.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// u = s(t − r/V) / (4πr) of a Ricker wavelet of the peak frequency f (Hz) around t0 (s); 0 before it starts.
[[nodiscard]] double point_source(double r, double velocity, double t, double f, double t0);

/// Relative L2 error of that trace at distance r (m) along `direction` by the numerical dispersion alone: by
/// Parseval the mean of |e^(iωr/c(ω)) − e^(iωr/V)|² over the wavelet's energy spectrum ω⁴ e^(−2(ω/2πf)²).
[[nodiscard]] double predicted_ricker_error(double r, Point3 direction, double f, double velocity,
                                            Point3 spacing, double dt);

}  // namespace minimod
