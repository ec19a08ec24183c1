#include "boundary/boundary.hpp"

#include <algorithm>

#include "boundary/layer.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

AxisProfile make_profile(const BoundarySpec& spec, const PmlAxis& axis, double dt) {
  const bool damps = spec.has_formula();  // the launches read η of every point
  const PmlAxis damped{axis.points, damps ? axis.low : 0, damps ? axis.high : 0, axis.spacing};
  return {make_pml_profile(damped, spec.velocity, dt), layer_of(spec).values(spec, axis, dt)};
}

std::vector<PmlAxis> axes_of(const BoundarySpec& spec, Extent3 n, Point3 h) {
  const PmlWidths& w = spec.widths;
  return {{n.x, w.left, w.right, h.x}, {n.y, w.front, w.back, h.y}, {n.z, w.top, w.bottom, h.z}};
}

/// The greatest η of the points of an axis.
double greatest(const AxisProfile& axis) {
  return *std::max_element(axis.eta.begin() + 1, axis.eta.end() - 1);
}

}  // namespace

BoundarySpec make_boundary_spec(BoundaryKind kind, int width, bool free_surface, double velocity,
                                double frequency) {
  BoundarySpec spec{kind, same_on_all_faces(width), free_surface, velocity, frequency};
  if (free_surface) spec.widths.top = 0;
  return spec;
}

BoundarySpec cut_along_z(const Boundary& domain, bool continues_above, bool continues_below) {
  BoundarySpec slab = domain.spec;
  if (slab.has_formula()) slab.alpha = domain.alpha;  // a transposed one has it
  slab.continues_above = continues_above;
  slab.continues_below = continues_below;
  if (continues_above) {
    slab.widths.top = 0;
    slab.free_surface = false;
  }
  if (continues_below) slab.widths.bottom = 0;
  return slab;
}

const LayerOperator& layer_of(const BoundarySpec& spec) {
  const AbsorbingLayer& layer = layer_of(spec.kind);
  if (spec.is_adjoint) return *layer.adjoint();
  return layer;
}

std::vector<PointsOfBox> AbsorbingLayer::drive(const LayerFields& fields, const StepFields& step,
                                               const DriveField& drive) const {
  return with_real(fields.grid.precision, [&]<class Real>() {
    const Extent3 n = fields.grid.n;
    return std::vector<PointsOfBox>{
        {{{0, 0, 0}, {n.x, n.y, n.z}}, InnerDrive<Real>{drive_point<Real>(step, drive)}}};
  });
}

BoundarySpec adjoint_of(const Boundary& boundary) {
  BoundarySpec spec = boundary.spec;
  if (layer_of(spec.kind).adjoint() == nullptr) {
    throw Error(ErrorKind::parameter, text("a ", boundary_name(spec.kind), " has no transpose"),
                text("take another ", option("boundary")));
  }
  if (spec.has_formula()) spec.alpha = boundary.alpha;
  spec.is_adjoint = !spec.is_adjoint;
  return spec;
}

Grid make_grid(Extent3 n, Point3 spacing, const BoundarySpec& spec, Difference difference,
               Precision precision) {
  return make_grid(n, spacing, spec.regions(n).inner.begin.x, difference, precision);
}

Boundary make_boundary(const BoundarySpec& spec, Extent3 n, Point3 h, double dt) {
  const std::vector<PmlAxis> axes = axes_of(spec, n, h);
  Boundary boundary{spec, make_profile(spec, axes[0], dt), make_profile(spec, axes[1], dt),
                    make_profile(spec, axes[2], dt)};
  if (spec.has_formula()) {
    boundary.alpha = spec.alpha.value_or(pml_alpha(axes, spec.velocity, dt));
  }
  return boundary;
}

void check_damping(const Boundary& boundary) {
  const double eta = greatest(boundary.x) + greatest(boundary.y) + greatest(boundary.z);
  if (!boundary.spec.has_formula() || eta <= most_eta) return;
  throw Error(ErrorKind::data,
              text("the pml damps its corners by eta = ", eta, " a step, over the ", most_eta,
                   " at which a step breaks"),
              text("take a lower ", option("pml-velocity"), ", a wider layer or a smaller ", option("dt")));
}

std::optional<PmlGrowth> predicted_growth(const Boundary& boundary, Extent3 n, Point3 spacing, double dt) {
  const BoundarySpec& spec = boundary.spec;
  const std::vector<PmlAxis> axes = axes_of(spec, n, spacing);
  if (!spec.has_formula() || boundary.alpha >= least_pml_alpha(axes, spec.velocity, dt)) {
    return std::nullopt;
  }
  return pml_growth(axes, spec.velocity);
}

}  // namespace minimod
