/// A domain and the absorbing layer on its faces: what the options say of them, and the defaults for what
/// they leave open.
#pragma once

#include <string>

#include "boundary/boundary.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/ranks/problem.hpp"

namespace minimod {

inline constexpr int usual_cpml_width = 10;  ///< points

struct LayerChoice {
  BoundaryKind kind = BoundaryKind::pml;
  int usual_width =
      papers_case::layer_width;  ///< points, where no option says it and the grid is wide enough
  std::string rule;              ///< rule that decided the kind, in words; empty where an option names it
};

/// The papers' case has their PML of 27 points. With a model of the user's the layer is a CPML of 10 points,
/// unless an option is given that only a PML has: then it is a PML.
[[nodiscard]] LayerChoice choose_layer(const ShotOptions& options);

/// So many points of layer on each face leave at least as many of the model along each axis.
[[nodiscard]] int widest_layer(Extent3 n, bool free_surface);

/// Points with a layer on their faces.
struct LayeredBox {
  Extent3 n;
  Point3 spacing;
  int layer_width = 0;
};

/// The box where no model file has one: the papers' for what the options leave open, with a layer as wide as
/// usual or as fits.
[[nodiscard]] LayeredBox box_of_options(const GridOptions& grid, const BoundaryOptions& boundary,
                                        int usual_width);

/// A run's or a measurement's domain on it. Which waves the layer is made for is still to be said
/// (BoundarySpec::velocity, frequency).
[[nodiscard]] StepProblem make_domain(const LayeredBox& box, BoundaryKind kind, bool free_surface,
                                      StarWeights weights, const KernelOptions& kernels);

/// Error 64 when the stencil does not fit the grid, 65 when the layer is wider than that or a PML too thin.
void check_extents(const StepProblem& domain);

/// Error 64 for options of the PML with another boundary, which would go unheard.
void check_boundary_options(BoundaryKind kind, const BoundaryOptions& boundary, const KernelOptions& kernels);

}  // namespace minimod
