/// Everything about a run that is decided before a device is touched.
#pragma once

#include "models/velocity_model.hpp"
#include "src/shot/acquisition.hpp"
#include "src/shot/shot_options.hpp"
#include "src/shot/wavelet.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

struct RunPlan {
  VelocityModel model;
  Grid grid;
  int pml_width = 0;
  Box3 model_box;  ///< the points of the model; the absorbing layer lies around it
  Decomposition decomposition = Decomposition::seven;

  double dt = 0, dt_limit = 0;  ///< s
  int steps = 0;
  int warmup = 0;        ///< first steps, which the measured speed leaves out
  int record_every = 1;  ///< steps between two samples of a trace
  Boundary boundary;
  Wavelet wavelet;
  double points_per_wavelength = 0;  ///< at f_max where the velocity is least
  double peak_frequency = 0;         ///< Hz; of a wavelet without a peak, where its spectrum ends over 2.5
  Survey survey;
  Interpolation interpolation = Interpolation::nearest;
  int receivers_on_surface = 0;  ///< of a free surface, where u is 0
  Placement nodes;               ///< the nearest, also where the interpolation takes more

  /// What the kernels must fit.
  [[nodiscard]] StepProblem problem() const {
    return {grid, boundary.spec, decomposition, interpolation != Interpolation::nearest};
  }
  /// Of each trace, t = 0 included.
  [[nodiscard]] int samples() const { return steps / record_every + 1; }
  /// From the source to the farthest receiver, m.
  [[nodiscard]] double greatest_offset() const;
  /// How much too late a wave of the peak frequency arrives there where the velocity is least, s.
  [[nodiscard]] double predicted_phase_error() const;
  /// At normal incidence on the low x face, by the profile, at the greatest velocity, dB.
  [[nodiscard]] double predicted_reflection() const;
  /// Where the run is fed or recorded for a position (m).
  [[nodiscard]] NodeWeights place_of(Point3 position) const;
  /// The position that is: that of the nearest node, or the very one.
  [[nodiscard]] Point3 position_of(Point3 wanted, Index3 node) const;
};

/// So many points of layer on each face leave at least as many of the model along each axis.
[[nodiscard]] int widest_layer(Extent3 n, bool free_surface);

/// Error 64 when the stencil does not fit the grid, 65 when the layer is wider than that or a PML too thin.
void check_extents(Extent3 n, int pml_width, const BoundaryOptions& boundary);

/// Error 64 for options of the PML with another boundary, which would go unheard.
void check_boundary_options(const BoundaryOptions& boundary, const KernelOptions& kernels);

/// Reads the files and checks the physics. Errors: 64 options that contradict each other, 65 data and
/// physics, 66 missing files.
[[nodiscard]] RunPlan make_plan(const ShotOptions& options);

}  // namespace minimod
