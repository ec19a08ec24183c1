/// Domain of the verification cases and the tests of whole runs: a box, its medium, a point source, traces.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/ranks/problem.hpp"
#include "src/solver/numerics/interpolation.hpp"
#include "src/solver/propagator.hpp"
#include "src/wavelets/wavelet.hpp"

namespace minimod {

/// A box. Outside its points, and outside its absorbing layer, u = 0.
struct Domain {
  Extent3 n;
  double h = papers_case::spacing;                 ///< m
  double dt = 0;                                   ///< s
  double velocity = papers_case::velocity;         ///< m/s
  std::function<double(Index3)> velocity_at = {};  ///< m/s, where it changes from node to node
  int pml_width = 0;                               ///< points of the absorbing layer on each face
  double pml_velocity = 0;                         ///< V_max of its profile, m/s
  BoundaryKind kind = BoundaryKind::pml;
  bool free_surface = false;
  double frequency = 0;                  ///< frequency that a CPML is tuned to, Hz
  std::optional<double> pml_alpha = {};  ///< nothing: that of any run
  Interpolation interpolation = Interpolation::nearest;
  Point3 stretch{1, 1, 1};               ///< factors of the spacing along each axis
  std::optional<PmlWidths> layers = {};  ///< instead of pml_width, where the faces differ
  int radius = stencil_radius;           ///< radius of the stencil
  Precision precision = Precision::float32;
  Equation equation = Equation::wave;
  std::optional<MediumColumns> columns = {};  ///< columns of its medium; nothing: random_columns

  [[nodiscard]] Point3 spacing() const { return {h * stretch.x, h * stretch.y, h * stretch.z}; }
  [[nodiscard]] double velocity_of(Index3 node) const { return velocity_at ? velocity_at(node) : velocity; }
  [[nodiscard]] BoundarySpec boundary() const {
    BoundarySpec spec = make_boundary_spec(kind, pml_width, free_surface, pml_velocity, frequency);
    spec.alpha = pml_alpha;
    if (layers) spec.widths = *layers;
    return spec;
  }
  [[nodiscard]] Grid grid() const { return make_grid(n, spacing(), boundary(), radius, precision); }
  [[nodiscard]] Problem problem() const {
    return make_problem({.grid = grid(),
                         .boundary = boundary(),
                         .between_nodes = interpolation != Interpolation::nearest,
                         .equation = equation},
                        {dt});
  }
  [[nodiscard]] MediumPlanes medium() const;
  [[nodiscard]] Box3 whole() const { return {{0, 0, 0}, {n.x, n.y, n.z}}; }
};

/// Columns of layers of seven planes, a tenth above and below the usual values.
[[nodiscard]] MediumColumns layered_columns(Equation equation, int planes);

/// A propagator at rest with the medium of `domain`. Error 71 when it does not fit the device.
[[nodiscard]] Propagator make_propagator(Backend& backend, const Domain& domain, const KernelSet& kernels,
                                         Decomposition decomposition = Decomposition::seven);

/// Samples of the Ricker wavelet at n Δt.
[[nodiscard]] std::vector<double> ricker_samples(double f, double t0, double dt, int steps);

/// The samples [step][receiver] of `steps` steps from here on, the present state first; the receivers are
/// set.
[[nodiscard]] Reals run_batch(Propagator& propagator, int steps);

/// n Δt for n = 0 … steps.
[[nodiscard]] std::vector<double> times(double dt, int steps);

}  // namespace minimod
