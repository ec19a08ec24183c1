/// Numerical dispersion of the scheme: how fast a plane wave travels on the grid.
///
/// A plane wave of the wave vector k (rad/m) solves the update of the inner box with the ω (rad/s) of
///
///     sin²(ωΔt/2) = (VΔt/2)² Σ_axes (1/h²) [−c0 − 2 Σ_m c_m cos(m k h)]
///
/// (von Neumann's analysis of the second difference in time and of the star in space, whose weights c_m are
/// those of the difference). Steps in time alone
/// make it too fast, steps in space alone too slow. A Δt of 0 stands for steps in time without error, as
/// where they are corrected.
#pragma once

#include "kernels/grid.hpp"

namespace minimod {

/// ω in rad/s of the wave vector `k` (rad/m) at `velocity` (m/s). NaN where Δt is over the stability limit
/// and the wave grows.
[[nodiscard]] double numerical_frequency(Point3 k, double velocity, Point3 spacing, double dt,
                                         Difference difference = {});

/// Phase velocity in m/s at `frequency` (Hz) along `direction` (of any length but 0); 0 where the grid is
/// too coarse to carry such a wave.
[[nodiscard]] double numerical_phase_velocity(Point3 direction, double frequency, double velocity,
                                              Point3 spacing, double dt, Difference difference = {});

/// Points per wavelength under which numerical dispersion spoils the traces: 4 for order 8, and for other
/// orders as many as have the same phase velocity along an axis, steps in time left aside; of Taylor's
/// weights, since those of minimax leave the medium as it is sampled.
[[nodiscard]] double least_points_per_wavelength(int radius);

/// How much too late (negative: too early) a wave of `frequency` (Hz) is after `distance` (m), in s: the
/// value of greatest magnitude along the axes, the face diagonals and the space diagonal. Infinite where the
/// grid is too coarse to carry it.
[[nodiscard]] double predicted_phase_error(double distance, double frequency, double velocity, Point3 spacing,
                                           double dt, Difference difference = {});

}  // namespace minimod
