/// The convolutional PML with a complex frequency shift, for the second-order wave equation (Komatitsch &
/// Martin 2007; Pasalic & McGarry 2010): in the layer across axis d the derivative ∂ becomes ∂ + ψ* with the
/// stretch 1 + d/(α + iω), so that ∂²u becomes ∂²u + ∂ψ + ζ with
///
///     ψ ← b ψ + a ∂u,   ζ ← b ζ + a (∂²u + ∂ψ),   b = exp(−(d + α) Δt),   a = (b − 1) d / (d + α)
///
/// The terms of the axes add up, so the layer is a correction behind the inner update of the whole grid:
/// u⁺ += (V Δt)² (∂ψ + ζ). ψ and ζ live in the layer alone. Of an equation with ∂(b ∂u) for ∂²u, ψ is of the
/// flux b ∂u, ζ of ∂(b ∂u) + ∂ψ.
#pragma once

#include <variant>
#include <vector>

#include "kernels/layers/cpml_terms.hpp"

namespace minimod {

/// a and b of each point of an axis.
struct CpmlProfile {
  std::vector<double> a, b;
};

/// d grows with the square of the depth, α falls linearly from π f at the inner box to zero.
[[nodiscard]] CpmlProfile make_cpml_profile(int points, int low, int high, double spacing, double velocity,
                                            double frequency, double dt);

/// A pass of any equation, in either precision.
using CpmlWork = std::variant<CpmlPass<float>, CpmlPass<double>, CpmlPass<float, CpmlOfDensity>,
                              CpmlPass<double, CpmlOfDensity>>;

}  // namespace minimod
