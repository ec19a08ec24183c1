#include "src/job/plan/layer_choice.hpp"

#include <algorithm>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/solver/schedule.hpp"
#include "src/solver/step_plan.hpp"

namespace minimod {

namespace {

/// Whether an option is given that runs with another layer refuse.
bool names_pml_option(const ShotOptions& o) {
  StepProblem with_cpml;
  with_cpml.boundary.kind = BoundaryKind::cpml;
  return !o.kernels.pml_kernel.empty() || o.boundary.alpha ||
         o.kernels.decomposition != Decomposition::seven ||
         (o.kernels.schedule != nullptr && !o.kernels.schedule->why_not(with_cpml).empty());
}

}  // namespace

LayerChoice choose_layer(const ShotOptions& o) {
  LayerChoice choice;
  if (is_papers_case(o)) {
    choice.rule =
        text("without a model the papers' pml of ", papers_case::layer_width, " points is the default");
  } else if (!facts_of(o.kernels.equation).has_cpml) {
    choice.rule = text("with ", option("equation"), " ", equation_name(o.kernels.equation), " a pml of ",
                       papers_case::layer_width, " points is the default");
  } else if (names_pml_option(o)) {
    choice.rule = "an option that only a pml has asks for one";
  } else {
    choice.kind = BoundaryKind::cpml;
    choice.rule = text("with a model a cpml of ", usual_cpml_width, " points is the default");
  }
  if (o.boundary.kind) {
    choice.kind = *o.boundary.kind;
    choice.rule.clear();
  }
  if (choice.kind == BoundaryKind::cpml && !is_papers_case(o)) choice.usual_width = usual_cpml_width;
  return choice;
}

int widest_layer(Extent3 n, bool free_surface) {
  return std::min({n.x / 3, n.y / 3, n.z / (free_surface ? 2 : 3)});
}

LayeredBox box_of_options(const GridOptions& grid, const BoundaryOptions& boundary, int usual_width) {
  using papers_case::edge, papers_case::spacing;
  const Extent3 n = grid.grid.value_or(Extent3{edge, edge, edge});
  const int widest = widest_layer(n, boundary.free_surface);
  return {n, grid.spacing.value_or(Point3{spacing, spacing, spacing}),
          boundary.width.value_or(std::min(usual_width, widest))};
}

StepProblem make_domain(const LayeredBox& box, BoundaryKind kind, bool free_surface, StarWeights weights,
                        const KernelOptions& kernels) {
  StepProblem domain;
  domain.boundary = make_boundary_spec(kind, box.layer_width, free_surface, 0, 0);
  domain.grid =
      make_grid(box.n, box.spacing, domain.boundary, {kernels.radius(), weights}, kernels.precision);
  domain.decomposition = kernels.decomposition;
  domain.equation = kernels.equation;
  return domain;
}

void check_extents(const StepProblem& domain) {
  const Extent3 n = domain.grid.n;
  const BoundaryKind kind = domain.boundary.kind;
  const bool free_surface = domain.boundary.free_surface;
  const int layer_width = domain.boundary.widths.bottom;
  const int least = std::min({n.x, n.y, n.z}), needed = 2 * domain.grid.radius + 1;
  if (least < needed) {
    throw Error(ErrorKind::parameter,
                text("the grid is ", n.x, " x ", n.y, " x ", n.z, " points, an axis of ", least),
                text("the stencil needs at least ", needed, " along each axis"));
  }
  if (const int thinnest = facts_of(kind).least_width; layer_width > 0 && layer_width < thinnest) {
    throw Error(ErrorKind::data,
                text("a ", boundary_name(kind), " of ", layer_width, layer_width == 1 ? " point" : " points",
                     " grows where the medium changes"),
                text("take ", option("pml-width"), " ", thinnest, " or more, or 0 for none"));
  }
  if (const int widest = widest_layer(n, free_surface); layer_width > widest) {
    throw Error(ErrorKind::data,
                text("a layer of ", layer_width, " points is over a third of an axis of ", n.x, " x ", n.y,
                     " x ", n.z, " points", free_surface ? " (half of z under a free surface)" : ""),
                text("take ", option("pml-width"), " ", widest, " or less, or a larger grid"));
  }
}

void check_boundary_options(BoundaryKind kind, const BoundaryOptions& boundary,
                            const KernelOptions& kernels) {
  if (boundary.width == 0) {
    const std::string given = boundary.alpha                ? option("pml-alpha")
                              : boundary.velocity           ? option("pml-velocity")
                              : !kernels.pml_kernel.empty() ? option("pml-kernel")
                                                            : "";
    if (!given.empty()) {
      throw Error(ErrorKind::parameter,
                  text(given, " is given with ", option("pml-width"), " 0, which leaves no layer"),
                  "leave one of them out");
    }
  }
  if (facts_of(kind).has_formula) return;
  const auto refuse = [&](const std::string& what, const char* why) {
    throw Error(ErrorKind::parameter,
                text(what, " is given with ", option("boundary"), " ", boundary_name(kind), ", ", why),
                text("leave it out, or take ", option("boundary"), " pml"));
  };
  if (kernels.decomposition != Decomposition::seven) {
    refuse(option("decomposition") + " " + decomposition_name(kernels.decomposition),
           "which has no regions to decompose");
  }
  if (!kernels.pml_kernel.empty()) refuse(option("pml-kernel"), "which has no PML kernels");
  if (boundary.alpha) refuse(option("pml-alpha"), "which has no such shift");
  if (boundary.velocity && !facts_of(kind).knows_velocity) {
    refuse(option("pml-velocity"), "whose taper knows no velocity");
  }
}

}  // namespace minimod
