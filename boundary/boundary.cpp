#include "boundary/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "boundary/sponge.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

AxisProfile make_profile(const BoundarySpec& spec, const PmlAxis& axis, double dt) {
  const bool pml = spec.kind == BoundaryKind::pml;
  // The launches read η of every point, which is zero where the layer is none of the PML's.
  const PmlAxis damped{axis.points, pml ? axis.low : 0, pml ? axis.high : 0, axis.spacing};
  AxisProfile profile{make_pml_profile(damped, spec.velocity, dt), {}, {}};
  if (spec.kind == BoundaryKind::sponge) profile.taper = make_taper(axis.points, axis.low, axis.high);
  if (spec.kind == BoundaryKind::cpml) {
    profile.cpml =
        make_cpml_profile(axis.points, axis.low, axis.high, axis.spacing, spec.velocity, spec.frequency, dt);
  }
  return profile;
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

CpmlProfile make_cpml_profile(int points, int low, int high, double spacing, double velocity,
                              double frequency, double dt) {
  constexpr double reflection = 1e-5;  // of a plane wave at normal incidence, by the profile alone
  CpmlProfile profile{std::vector<double>(points), std::vector<double>(points)};
  const auto set = [&](int i, double depth, int width) {
    const double greatest = -1.5 * velocity * std::log(reflection) / (width * spacing);
    const double d = greatest * depth * depth, alpha = std::numbers::pi * frequency * (1 - depth);
    if (d <= 0) return;
    profile.b[i] = std::exp(-(d + alpha) * dt);
    profile.a[i] = d / (d + alpha) * (profile.b[i] - 1);
  };
  for (int m = 0; m < low; ++m) set(low - 1 - m, (m + 0.5) / low, low);
  for (int m = 0; m < high; ++m) set(points - high + m, (m + 0.5) / high, high);
  return profile;
}

std::vector<double> make_taper(int points, int low, int high) {
  constexpr double strength = 0.015 * 20;
  std::vector<double> taper(points, 1);
  const auto factor = [](int m, int width) { return std::exp(-std::pow(strength * m / width, 2)); };
  for (int m = 1; m <= low; ++m) taper[low - m] = factor(m, low);
  for (int m = 1; m <= high; ++m) taper[points - high + m - 1] = factor(m, high);
  return taper;
}

BoundarySpec make_boundary_spec(BoundaryKind kind, int width, bool free_surface, double velocity,
                                double frequency) {
  BoundarySpec spec{kind, same_on_all_faces(width), free_surface, velocity, frequency};
  if (free_surface) spec.widths.top = 0;
  return spec;
}

BoundarySpec cut_along_z(const Boundary& domain, bool continues_above, bool continues_below) {
  BoundarySpec slab = domain.spec;
  slab.alpha = domain.alpha;
  slab.continues_above = continues_above;
  slab.continues_below = continues_below;
  if (continues_above) {
    slab.widths.top = 0;
    slab.free_surface = false;
  }
  if (continues_below) slab.widths.bottom = 0;
  return slab;
}

Grid make_grid(Extent3 n, Point3 spacing, const BoundarySpec& spec, Difference difference,
               Precision precision) {
  return make_grid(n, spacing, spec.regions(n).inner.begin.x, difference, precision);
}

Boundary make_boundary(const BoundarySpec& spec, Extent3 n, Point3 h, double dt) {
  const std::vector<PmlAxis> axes = axes_of(spec, n, h);
  Boundary boundary{spec, make_profile(spec, axes[0], dt), make_profile(spec, axes[1], dt),
                    make_profile(spec, axes[2], dt)};
  if (spec.kind == BoundaryKind::pml) {
    boundary.alpha = spec.alpha.value_or(pml_alpha(axes, spec.velocity, dt));
  }
  return boundary;
}

void check_damping(const Boundary& boundary) {
  const double eta = greatest(boundary.x) + greatest(boundary.y) + greatest(boundary.z);
  if (boundary.spec.kind != BoundaryKind::pml || eta <= most_eta) return;
  throw Error(ExitCode::data,
              text("the pml damps its corners by eta = ", eta, " a step, over the ", most_eta,
                   " at which a step breaks"),
              text("take a lower ", option("pml-velocity"), ", a wider layer or a smaller ", option("dt")));
}

std::optional<PmlGrowth> predicted_growth(const Boundary& boundary, Extent3 n, Point3 spacing, double dt) {
  const BoundarySpec& spec = boundary.spec;
  const std::vector<PmlAxis> axes = axes_of(spec, n, spacing);
  if (spec.kind != BoundaryKind::pml || boundary.alpha >= least_pml_alpha(axes, spec.velocity, dt)) {
    return std::nullopt;
  }
  return pml_growth(axes, spec.velocity);
}

}  // namespace minimod
