/// The CPML's transposed formulas (cpml.hpp), point by point, for p = (V Δt)² λ. Behind the inner formula of
/// the whole grid, of p a step later, in the layer across an axis:
///
///     ζ ← b ζ + a p,   ψ ← b ψ + a ∂(p + ζ),   p⁻ += (V Δt)² (∂ψ + ∂²ζ)
///
/// ζ and ψ here are the transposes of those there, times a. The derivatives, too, change places: ∂ᵀ = −∂.
/// Both lie as the field does, x fastest, with R points of zeros on either side of the layer, so that no
/// point asks where it is.
#pragma once

#include "boundary/cpml/cpml.hpp"

namespace minimod {

/// A layer; p and p⁻ are 0 outside of the grid, as far as differences reach.
template <class RealType, int Radius>
struct CpmlAdjointLayer {
  using Real = RealType;
  Layout layout, memory;  ///< where p, p⁻ and (V Δt)² are, and where ζ and ψ by the indices of the grid
  std::int64_t along = 0, along_memory = 0;  ///< from a point to the next across the layer
  int axis = 0, radius = stencil_radius;
  int begin_corrected = 0, end_corrected = 0;  ///< points whose p the layer meets (CpmlLayer)
  Real first[most_radius]{}, second[most_radius]{}, centre = 0;  ///< weights as CpmlPass has them
  const Real* a = nullptr;                                       ///< by the index along the axis
  const Real* b = nullptr;
  Real* psi = nullptr;
  Real* zeta = nullptr;
  const Real* p = nullptr;
  const Real* v2dt2 = nullptr;
  Real* p_next = nullptr;

  [[nodiscard]] MINIMOD_HD int index_along(const Index3& at) const {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
  }
  [[nodiscard]] MINIMOD_HD std::int64_t in_field(const Index3& at) const {
    return layout.index(at.x, at.y, at.z);
  }
  [[nodiscard]] MINIMOD_HD std::int64_t in_memory(const Index3& at) const {
    return memory.index(at.x, at.y, at.z);
  }
};

template <class Real, int Radius>
struct CpmlAdjointZeta : CpmlAdjointLayer<Real, Radius> {
  MINIMOD_HD void operator()(const Index3& at) const {
    const int i = this->index_along(at);
    Real& own = this->zeta[this->in_memory(at)];
    own = renewed(this->a[i], this->b[i], own, this->p[this->in_field(at)]);
  }
};

/// ψ meets p where the layer's ∂ψ is added to u⁺: everywhere, unless two layers hardly leave any model.
template <class Real, int Radius, bool IsClipped>
struct CpmlAdjointPsi : CpmlAdjointLayer<Real, Radius> {
  MINIMOD_HD void operator()(const Index3& at) const {
    const int i = this->index_along(at);
    const Real* const of_p = this->p + this->in_field(at);
    const Real* const of_zeta = this->zeta + this->in_memory(at);
    const auto met = [&](int m) {
      const Real sum = of_p[m * this->along] + of_zeta[m * this->along_memory];
      if constexpr (!IsClipped) return sum;
      const bool meets = i + m >= this->begin_corrected && i + m < this->end_corrected;
      return meets ? sum : of_zeta[m * this->along_memory];
    };
    Real& own = this->psi[this->in_memory(at)];
    own = renewed(this->a[i], this->b[i], own, slope<Radius>(*this, met));
  }
};

template <class Real, int Radius>
struct CpmlAdjointTerms : CpmlAdjointLayer<Real, Radius> {
  MINIMOD_HD void operator()(const Index3& at) const {
    const Real* const of_psi = this->psi + this->in_memory(at);
    const Real* const of_zeta = this->zeta + this->in_memory(at);
    const std::int64_t i = this->in_field(at);
    const Real terms = slope<Radius>(*this, [&](int m) { return of_psi[m * this->along_memory]; }) +
                       curvature<Radius>(*this, [&](int m) { return of_zeta[m * this->along_memory]; });
    this->p_next[i] = corrected(this->p_next[i], this->v2dt2[i], terms);
  }
};

/// The layer on one face, for what does all three at once, of the common stencil in single precision.
struct CpmlAdjointFace : CpmlAdjointLayer<float, stencil_radius> {
  Box3 box;                          ///< lines abreast, others
  int begin = 0, end = 0;            ///< points of the layer
  int begin_next = 0, end_next = 0;  ///< points whose p⁻ it corrects
};

}  // namespace minimod
