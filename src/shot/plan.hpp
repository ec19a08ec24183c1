/// Everything about a run that is decided before a device is touched.
#pragma once

#include <optional>
#include <string>

#include "boundary/measured_reflection.hpp"
#include "models/sampled_medium.hpp"
#include "src/shot/acquisition.hpp"
#include "src/shot/shot_options.hpp"
#include "src/shot/wavelet.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

struct RunPlan {
  SampledMedium medium;
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
  int receivers_on_surface = 0;    ///< of a free surface, where u is 0
  bool default_line = false;       ///< no receivers were asked for
  Placement nodes;                 ///< the nearest, also where the interpolation takes more
  Moves moves;                     ///< of the positions to their nearest nodes; 0 where they are interpolated
  std::string command_line;        ///< that the run was started with
  std::string date;                ///< of its start, UTC, ISO 8601
  std::vector<std::string> notes;  ///< what the user should know before it runs, a line each

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
  /// What such a layer was measured to reflect; nothing without a layer.
  [[nodiscard]] std::optional<Reflection> reflection() const;
  /// What is other in this run than where it was measured, in words; empty where nothing is.
  [[nodiscard]] std::string other_than_measured() const;
  /// Of the point (0, 0, 0) of the inner box. An extruded section lies in the plane of the middle points,
  /// where the default source is.
  [[nodiscard]] FileCoordinates file_coordinates() const;
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
