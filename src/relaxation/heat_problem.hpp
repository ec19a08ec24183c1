/// The steady heat of a rectangular plate whose sides are held at given temperatures: Laplace's equation, its
/// five-point difference, what theory says of its relaxation, and its exact solution.
#pragma once

#include "kernels/grid.hpp"

namespace minimod::relaxation {

/// Temperatures of the four sides, °C. Which value Itu et al. give to which side stands in a picture alone
/// (their figure 1).
struct Sides {
  double west = 0, east = 0, south = 0, north = 100;
};

struct HeatProblem {
  Extent3 n;                          ///< nodes whose temperature is sought; one plane
  double length_x = 1, length_y = 1;  ///< lengths of the sides, m
  Sides sides;

  [[nodiscard]] double spacing_x() const { return length_x / (n.x + 1); }
  [[nodiscard]] double spacing_y() const { return length_y / (n.y + 1); }
  /// β = Δx / Δy.
  [[nodiscard]] double beta() const { return spacing_x() / spacing_y(); }
  /// Scale to which errors are relative: the largest magnitude of the sides, °C.
  [[nodiscard]] double scale() const;
  /// Temperature of a node of the frame, which is (-1, j), (n.x, j), (i, -1) or (i, n.y); corners, which
  /// nothing reads, have the mean of their sides.
  [[nodiscard]] double frame(int i, int j) const;
};

/// A square cell's plate of `n` nodes, 1 m long.
[[nodiscard]] HeatProblem make_heat_problem(Extent3 n);

/// 1 − μ, μ the spectral radius of Jacobi's iteration: the mean of cos(π/(n+1)) of the axes, weighted by
/// 1 : β². Young 1954.
[[nodiscard]] double jacobi_gap(const HeatProblem& problem);

/// ω = 2 / (1 + √(1 − μ²)), by which relaxation converges fastest in either order (Young 1954).
[[nodiscard]] double best_omega(const HeatProblem& problem);

/// By what an iteration shrinks the error in the end: ω − 1 from the best ω on, else
/// (ωμ + √(ω²μ² − 4(ω − 1)))² / 4.
[[nodiscard]] double shrinkage(const HeatProblem& problem, double omega);

/// Iterations that shrink an error by `factor` at that rate, 1 at least.
[[nodiscard]] double expected_iterations(const HeatProblem& problem, double omega, double factor);

/// The exact temperature inside the plate at (x, y) from its south-west corner (m), a series of sines for
/// each side, summed until its terms are below the rounding of the first.
[[nodiscard]] double exact_temperature(const HeatProblem& problem, double x, double y);

}  // namespace minimod::relaxation
