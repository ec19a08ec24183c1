/// The formulas of one time step, once: `InnerUpdate` and `PmlUpdate` (design: equation 2 and the Minimod
/// form of the PML, Komatitsch & Tromp 2003 / Meng et al. 2020, arXiv 2007.06048, with the shift α that keeps
/// it stable, boundary/pml_profile.hpp). Both are written in increments: 2u − u⁻ would round at the size of u
/// what a step adds to it.
#pragma once

#include "kernels/launch_args.hpp"

namespace minimod {

/// The fields of one point other than u.
template <class Real>
struct PointFields {
  Real u_next;   ///< u⁻ on entry, u⁺ on exit
  Real v2dt2;    ///< (V Δt)²
  Real phi = 0;  ///< met where the update damps; the old on entry, the new on exit
};

/// η at a point, and its differences η₊ − η₋ along each axis.
template <class Real>
struct EtaValues {
  Real eta, dx, dy, dz;
};

/// From the three profiles. (The point by reference, here and below: of an Index3 passed by value clang makes
/// two words, and no vectors of what it takes out of them again.)
template <class Real, int Radius>
MINIMOD_HD inline EtaValues<Real> eta_of_profiles(const StencilArgs<Real, Radius>& args, const Index3& p) {
  return {args.eta_x[p.x] + args.eta_y[p.y] + args.eta_z[p.z], args.eta_x[p.x + 1] - args.eta_x[p.x - 1],
          args.eta_y[p.y + 1] - args.eta_y[p.y - 1], args.eta_z[p.z + 1] - args.eta_z[p.z - 1]};
}

/// What η makes of the formula at a point. A shape whose points keep their η may keep this too.
template <class Real>
struct Damping {
  Real minus_eta2;    ///< −η²
  Real inverse_2eta;  ///< 1 / (1 + 2η)
  Real minus_loss;    ///< 1 / (1 + η + α) − 1, which rounds less than the sum
  static MINIMOD_HD Damping of(Real eta, Real alpha) {
    const Real decay = eta + alpha;
    return {-(eta * eta), Real(1) / fused(Real(2), eta, Real(1)), -decay * (Real(1) / (Real(1) + decay))};
  }
};

/// (η₊ − η₋) / (4h²) along each axis.
template <class Real>
struct EtaGradient {
  Real x, y, z;
  template <int Radius>
  static MINIMOD_HD EtaGradient of(const StencilArgs<Real, Radius>& args, const EtaValues<Real>& eta) {
    return {args.gradient_x * eta.dx, args.gradient_y * eta.dy, args.gradient_z * eta.dz};
  }
};

/// u⁺ = u + [(u − u⁻) + (V Δt)² ∇²ₕu].
template <class RealType, int Radius = stencil_radius>
struct InnerUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = false;

  static MINIMOD_HD Real next(const StarValues<Real>& s, Real v2dt2, Real u_before) {
    return s.u + fused(v2dt2, s.laplacian, s.u - u_before);
  }

  /// Whether a launch writes point p of its box.
  static MINIMOD_HD bool writes(const Args&, Index3) { return true; }
  static MINIMOD_HD void advance(const Args&, Index3, PointFields<Real>& f, const StarValues<Real>& s,
                                 const Damping<Real>&, const EtaGradient<Real>&) {
    f.u_next = next(s, f.v2dt2, f.u_next);
  }

  static MINIMOD_HD void store(const Args& args, const Index3& p, const StarValues<Real>& s) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    args.u_next[i] = next(s, args.v2dt2[i], args.u_before[i]);
  }
};

/// u⁺ = u + [(u − u⁻) − η²u + (V Δt)² (∇²ₕu + φ)] / (1 + 2η) with the old φ, then
/// φ⁺ = [φ − Σ (η₊ − η₋)(u₊ − u₋) / (4h²)] / (1 + η + α), η the sum of the three axes' profiles.
template <class RealType, int Radius = stencil_radius>
struct PmlUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = true;

  /// Σ (η₊ − η₋)(u₊ − u₋) / (4h²), first over x and y.
  static MINIMOD_HD Real decay_across(const StarValues<Real>& s, const EtaGradient<Real>& gradient) {
    return fused(gradient.y, s.dy, gradient.x * s.dx);
  }
  static MINIMOD_HD Real decay(Real across, Real dz, Real gradient_z) {
    return fused(gradient_z, dz, across);
  }
  /// u⁺ of u, ∇²ₕu + φ, (V Δt)² and u⁻.
  static MINIMOD_HD Real next(Real u, Real driven, Real v2dt2, Real u_before, Real minus_eta2,
                              Real inverse_2eta) {
    const Real change = fused(v2dt2, driven, fused(minus_eta2, u, u - u_before));
    return fused(change, inverse_2eta, u);
  }
  /// φ⁺ of φ, or a part of it of a part of φ and the decay.
  static MINIMOD_HD Real phi_next(Real phi, Real decay, Real minus_loss) {
    const Real rest = phi - decay;
    return fused(rest, minus_loss, rest);
  }
  static MINIMOD_HD void advance(PointFields<Real>& f, Real u, Real laplacian, Real decay,
                                 const Damping<Real>& damping) {
    f.u_next = next(u, laplacian + f.phi, f.v2dt2, f.u_next, damping.minus_eta2, damping.inverse_2eta);
    f.phi = phi_next(f.phi, decay, damping.minus_loss);
  }

  static MINIMOD_HD bool writes(const Args&, Index3) { return true; }
  static MINIMOD_HD void advance(const Args&, Index3, PointFields<Real>& f, const StarValues<Real>& s,
                                 const Damping<Real>& damping, const EtaGradient<Real>& gradient) {
    advance(f, s.u, s.laplacian, decay(decay_across(s, gradient), s.dz, gradient.z), damping);
  }

  static MINIMOD_HD void store(const Args& args, const Index3& p, const StarValues<Real>& s) {
    store(args, p, s, eta_of_profiles(args, p));
  }

  static MINIMOD_HD void store(const Args& args, const Index3& p, const StarValues<Real>& s,
                               const EtaValues<Real>& eta) {
    const std::int64_t i = args.layout.index(p.x, p.y, p.z);
    const std::int64_t k = args.phi_layout.index(p.x, p.y, p.z);
    // Before the loads: behind them they cost registers, and with them a quarter of a GPU's threads.
    const Damping<Real> damping = Damping<Real>::of(eta.eta, args.alpha);
    const EtaGradient<Real> gradient = EtaGradient<Real>::of(args, eta);
    // All before the first store: a load behind the store of another field waits for it.
    PointFields<Real> fields{args.u_before[i], args.v2dt2[i], args.phi[k]};
    advance(args, p, fields, s, damping, gradient);
    args.u_next[i] = fields.u_next;
    args.phi[k] = fields.phi;
  }
};

/// u⁺ = u + τ ∇²ₕu as one star, whose weights are made so: LaunchArgs::relaxation. Reads u alone.
template <class RealType, int Radius = stencil_radius>
struct JacobiUpdate {
  using Real = RealType;
  using Args = StencilArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool damps = false;

  static MINIMOD_HD bool writes(const Args&, Index3) { return true; }
  static MINIMOD_HD void advance(const Args&, Index3, PointFields<Real>& f, const StarValues<Real>& s,
                                 const Damping<Real>&, const EtaGradient<Real>&) {
    f.u_next = s.laplacian;
  }
  static MINIMOD_HD void store(const Args& args, const Index3& p, const StarValues<Real>& s) {
    args.u_next[args.layout.index(p.x, p.y, p.z)] = s.laplacian;
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

  static MINIMOD_HD bool writes(const Args& args, const Index3& p) {
    return args.updates_inner || !args.inner.contains(p);
  }
  static MINIMOD_HD void advance(const Args& args, const Index3& p, PointFields<Real>& f,
                                 const StarValues<Real>& s, const Damping<Real>& damping,
                                 const EtaGradient<Real>& gradient) {
    if (args.inner.contains(p)) {
      InnerUpdate<Real, Radius>::advance(args, p, f, s, damping, gradient);
    } else {
      PmlUpdate<Real, Radius>::advance(args, p, f, s, damping, gradient);
    }
  }

  /// `eta`: an EtaValues, or nothing for that of the profiles.
  template <class... Eta>
  static MINIMOD_HD void store(const Args& args, const Index3& p, const StarValues<Real>& s,
                               const Eta&... eta) {
    if (!args.inner.contains(p)) {
      PmlUpdate<Real, Radius>::store(args, p, s, eta...);
    } else if (args.updates_inner) {
      InnerUpdate<Real, Radius>::store(args, p, s);
    }
  }
};

/// One point: evaluates the star around it and applies the formula.
template <class Update, class Star>
MINIMOD_HD inline void update_point(const typename Update::Args& args, const Index3& p, const Star& star) {
  Update::store(args, p, evaluate(args.weights, star));
}

}  // namespace minimod
