/// Shots on a plan: what all of a survey decide together, and what changes from one to the next.
#pragma once

#include <vector>

#include "src/job/plan/plan.hpp"

namespace minimod {

/// The shot that the options name by --source, --wavelet and --receivers. Errors: as parse_receivers has
/// them.
[[nodiscard]] ShotGeometry single_shot(RunPlan& plan, const ShotOptions& options);

/// A line along x through the whole model, at the y of the source and z = 0, or a node below a free surface.
[[nodiscard]] std::vector<Point3> default_receivers(const RunPlan& plan, const BoundaryOptions& boundary,
                                                    Point3 source);

/// A position as it was given, in the model's coordinates.
[[nodiscard]] Point3 in_model(const RunPlan& plan, const AcquisitionOptions& acquisition, Point3 given);

/// Plans what all `shots` share: their wavelets, each of which is read once, the layer, and whether positions
/// are interpolated. Errors: those of the wavelets; 65 too few points per wavelength.
void plan_shots(RunPlan& plan, const ShotOptions& options, const std::vector<ShotGeometry>& shots);

/// The shot of one of the geometries that was planned for. Error 65 for positions outside the model, a source
/// on the free surface, wavelets of different units.
[[nodiscard]] Shot place_shot(const RunPlan& plan, const ShotGeometry& geometry);

}  // namespace minimod
