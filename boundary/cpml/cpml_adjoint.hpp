/// The CPML's transposed formulas (cpml.hpp), point by point, for p = (V Δt)² λ. Behind the inner formula of
/// the whole grid, of p a step later, in the layer across an axis:
///
///     ζ ← b ζ + a p,   ψ ← b ψ + a ∂(p + ζ),   p⁻ += (V Δt)² (∂ψ + ∂²ζ)
///
/// ζ and ψ here are the transposes of those there, times a. The derivatives, too, change places: ∂ᵀ = −∂.
#pragma once

#include "boundary/cpml/cpml.hpp"

namespace minimod {

/// A layer of a pass, by the fields of which its u is p and its u_next p⁻.
template <class Real>
struct CpmlAdjointLayer {
  CpmlPass<Real> pass;
  int number = 0;

  /// A point by its index along the axis and those of its line.
  struct Place {
    int i, abreast, other;
  };
  [[nodiscard]] MINIMOD_HD const CpmlLayer& layer() const { return pass.layers[number]; }
  [[nodiscard]] MINIMOD_HD Place place(Index3 p) const {
    if (pass.axis == 0) return {p.x, p.y, p.z};
    if (pass.axis == 1) return {p.y, p.x, p.z};
    return {p.z, p.x, p.y};
  }
  [[nodiscard]] MINIMOD_HD std::int64_t in_memory(Place at) const {
    return layer().memory.index(at.i, at.abreast, at.other);
  }
  [[nodiscard]] MINIMOD_HD std::int64_t in_field(Place at) const {
    return lines_along(pass.axis, pass.layout).index(at.i, at.abreast, at.other);
  }
  /// A memory m points along the axis; none outside of the layer.
  [[nodiscard]] MINIMOD_HD Real value(const Real* memory, Place at, int m) const {
    at.i += m;
    return layer().contains(at.i) ? memory[in_memory(at)] : Real(0);
  }
};

template <class Real>
struct CpmlAdjointZeta : CpmlAdjointLayer<Real> {
  MINIMOD_HD void operator()(Index3 p) const {
    const auto at = this->place(p);
    Real& zeta = this->pass.zeta[this->in_memory(at)];
    zeta = renewed(this->pass.a[at.i], this->pass.b[at.i], zeta, this->pass.u[this->in_field(at)]);
  }
};

/// ψ meets p where the layer's ∂ψ is added to u⁺, and nowhere else.
template <class Real>
struct CpmlAdjointPsi : CpmlAdjointLayer<Real> {
  MINIMOD_HD void operator()(Index3 p) const {
    const auto at = this->place(p);
    const Real* const line = this->pass.u + this->in_field(at);
    const std::int64_t along = lines_along(this->pass.axis, this->pass.layout).along;
    const auto met = [&](int m) {
      return (this->layer().corrects(at.i + m) ? line[m * along] : Real(0)) +
             this->value(this->pass.zeta, at, m);
    };
    Real& psi = this->pass.psi[this->in_memory(at)];
    psi = renewed(this->pass.a[at.i], this->pass.b[at.i], psi, slope<any_radius>(this->pass, met));
  }
};

template <class Real>
struct CpmlAdjointTerms : CpmlAdjointLayer<Real> {
  MINIMOD_HD void operator()(Index3 p) const {
    const auto at = this->place(p);
    const Real terms =
        slope<any_radius>(this->pass, [&](int m) { return this->value(this->pass.psi, at, m); }) +
        curvature<any_radius>(this->pass, [&](int m) { return this->value(this->pass.zeta, at, m); });
    Real& next = this->pass.u_next[this->in_field(at)];
    next = corrected(next, this->pass.v2dt2[this->in_field(at)], terms);
  }
};

}  // namespace minimod
