/// Images of reflectors by reverse-time migration: the field of a shot and that of its traces, backward in
/// time, meet where waves were reflected.
#pragma once

#include <vector>

#include "kernels/grid.hpp"
#include "models/band_limit.hpp"
#include "src/base/choices.hpp"
#include "src/job/gradient/misfit.hpp"

namespace minimod {

/// Formulas of an image by the adjoint field λ and w = ∂²u/∂t², sums over the steps.
enum class ImagingCondition {
  /// Σ λ w: fields that meet, those that travel together, too, which blurs what lies above a reflector
  /// (Claerbout 1971, Geophysics 36(3), 467–481).
  cross,
  /// Σ (∂λ/∂t ∂w/∂t / V² − ∇λ·∇w), which weighs waves that meet at an angle θ of their directions by
  /// 1 − cos θ, and those that travel together by 0 (Op 't Root, Stolk & de Hoop 2012, Journal de
  /// Mathématiques Pures et Appliquées 98(2), 211–238; Whitmore & Crawley 2012, SEG Technical Program
  /// Expanded Abstracts, 1–6). By parts in time, and as both fields obey the wave equation but at sources and
  /// receivers, that is −½ ∇² Σ λ w; of the scheme, too, where ∇λ·∇w is ½ (L(λw) − λLw − wLλ), L its star.
  inverse_scattering,
};
inline constexpr NamedChoice<ImagingCondition> imaging_names[] = {
    {ImagingCondition::cross, "cross"}, {ImagingCondition::inverse_scattering, "inverse-scattering"}};

/// −½ ∇² in the planes z of a grid that are `wanted`, x fastest, by the weights of its star, of values in
/// those that are `there`, the star's radius more on either side. Beyond a face are the values before it, as
/// products of two fields have them at a free surface.
[[nodiscard]] std::vector<double> minus_half_laplacian(const std::vector<double>& values, const Grid& grid,
                                                       IndexRange there, IndexRange wanted);
/// At all points.
[[nodiscard]] inline std::vector<double> minus_half_laplacian(const std::vector<double>& values,
                                                              const Grid& grid) {
  return minus_half_laplacian(values, grid, {0, grid.n.z}, {0, grid.n.z});
}

/// Traces [receiver][sample] whose adjoint field meets w as the waves that were observed meet u: ∫ r from a
/// time to the last, of the difference r of the observed traces from the modelled ones. Receivers that cover
/// a plane feed the integral in time of a wave that passes it, so that λ is its second one, and a reflector
/// is imaged by a peak and not by a flank, positive where V grows with depth. `residual`: −r; `dt`: s.
[[nodiscard]] std::vector<double> migrated_traces(const std::vector<double>& residual, std::size_t samples,
                                                  double dt);

/// The part of observed traces that is migrated, in the window and by the weights: the difference from the
/// modelled ones, or with `keeps_direct` they themselves. The value is half the sum of its squares, the
/// derivative what receivers feed.
[[nodiscard]] Misfit migration_of(const Reals& modelled, const Reals& observed, const SampleTimes& times,
                                  MisfitOptions options, bool keeps_direct);

/// Divides an image by the source illumination and a hundredth of its mean.
void compensate(Reals& image, const Reals& illumination);

}  // namespace minimod
