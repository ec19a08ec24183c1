/// The formulas of one time step, once: `InnerUpdate` and `PmlUpdate` (design: equation 2 and the Minimod
/// form of the PML, Komatitsch & Tromp 2003 / Meng et al. 2020, arXiv 2007.06048).
#pragma once

#include "kernels/stencil.hpp"

namespace minimod {

/// All that a kernel needs, passed by value. The pointers are to the storages that the layouts index.
template <class Real, int Radius = stencil_radius>
struct StencilArgs {
  Box3 box;                     ///< the points to update
  Box3 inner;                   ///< for a launch with both formulas: where the inner one holds
  bool updates_inner = true;    ///< such a launch passes the points of `inner` over when false
  Layout layout;                ///< of u, u_next and v2dt2
  Layout phi_layout;            ///< of phi
  const Real* u = nullptr;      ///< at tₙ
  Real* u_next = nullptr;       ///< at tₙ₋₁ on entry, at tₙ₊₁ on exit
  const Real* v2dt2 = nullptr;  ///< (V Δt)², m²
  Real* phi = nullptr;          ///< auxiliary field of the PML, met in the PML boxes only
  const Real* eta_x = nullptr;  ///< damping along each axis, dimensionless; [-1] and [n] are the ghost nodes
  const Real* eta_y = nullptr;
  const Real* eta_z = nullptr;
  const Real* eta = nullptr;  ///< their sum as a 3-D array of the layout of u, for the shapes that stage it
  StencilWeights<Real, Radius> weights;
  Real gradient_x = 0, gradient_y = 0, gradient_z = 0;  ///< 1 / (4h²) of each axis, 1/m²
};

/// η at a point, and its differences η₊ − η₋ along each axis.
template <class Real>
struct EtaValues {
  Real eta, dx, dy, dz;
};

/// From the three profiles.
template <class Real, int Radius>
MINIMOD_HD inline EtaValues<Real> eta_of_profiles(const StencilArgs<Real, Radius>& args, Index3 p) {
  return {args.eta_x[p.x] + args.eta_y[p.y] + args.eta_z[p.z], args.eta_x[p.x + 1] - args.eta_x[p.x - 1],
          args.eta_y[p.y + 1] - args.eta_y[p.y - 1], args.eta_z[p.z + 1] - args.eta_z[p.z - 1]};
}

/// u⁺ = 2u − u⁻ + (V Δt)² ∇²ₕu.
template <class RealType, int Radius = stencil_radius>
struct InnerUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = false;

  static MINIMOD_HD void store(const Args& args, Index3 p, const StarValues<Real>& s) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    args.u_next[i] = fused(args.v2dt2[i], s.laplacian, fused(Real(2), s.u, -args.u_next[i]));
  }
};

/// u⁺ = [(2 − η² + 2η) u − u⁻ + (V Δt)² (∇²ₕu + φ)] / (1 + 2η) with the old φ, then
/// φ⁺ = [φ − Σ (η₊ − η₋)(u₊ − u₋) / (4h²)] / (1 + η), η the sum of the three axes' profiles.
template <class RealType, int Radius = stencil_radius>
struct PmlUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = true;

  static MINIMOD_HD void store(const Args& args, Index3 p, const StarValues<Real>& s) {
    store(args, p, s, eta_of_profiles(args, p));
  }

  static MINIMOD_HD void store(const Args& args, Index3 p, const StarValues<Real>& s,
                               const EtaValues<Real>& damping) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const std::int64_t k = args.phi_layout.index(p.x, p.y, p.z);
    const Real eta = damping.eta;
    const Real phi = args.phi[k];

    const Real weight = fused(eta, Real(2) - eta, Real(2));
    const Real numerator = fused(args.v2dt2[i], s.laplacian + phi, fused(weight, s.u, -args.u_next[i]));
    args.u_next[i] = numerator / fused(Real(2), eta, Real(1));

    Real decay = args.gradient_x * damping.dx * s.dx;
    decay = fused(args.gradient_y * damping.dy, s.dy, decay);
    decay = fused(args.gradient_z * damping.dz, s.dz, decay);
    args.phi[k] = (phi - decay) / (Real(1) + eta);
  }
};

/// Both behind a conditional at every point, for launches over the whole grid: InnerUpdate in args.inner (or
/// nothing, when the inner box has a launch of its own), PmlUpdate around it.
template <class RealType, int Radius = stencil_radius>
struct MixedUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = true;

  /// `damping`: an EtaValues, or nothing for that of the profiles.
  template <class... Eta>
  static MINIMOD_HD void store(const Args& args, Index3 p, const StarValues<Real>& s, const Eta&... damping) {
    if (!args.inner.contains(p)) {
      PmlUpdate<Real, Radius>::store(args, p, s, damping...);
    } else if (args.updates_inner) {
      InnerUpdate<Real, Radius>::store(args, p, s);
    }
  }
};

/// One point: evaluates the star around it and applies the formula.
template <class Update, class Star>
MINIMOD_HD inline void update_point(const typename Update::Args& args, Index3 p, const Star& star) {
  Update::store(args, p, evaluate(args.weights, star));
}

}  // namespace minimod
