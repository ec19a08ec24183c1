/// The formulas of one time step, once: `InnerUpdate` and `PmlUpdate` (design: equation 2 and the Minimod
/// form of the PML, Komatitsch & Tromp 2003 / Meng et al. 2020, arXiv 2007.06048, with the shift α that keeps
/// it stable, boundary/pml_profile.hpp). Both are written in increments: 2u − u⁻ would round at the size of u
/// what a step adds to it.
#pragma once

#include "kernels/equation.hpp"
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
MINIMOD_HD inline EtaValues<Real> eta_of_profiles(const WaveArgs<Real, Radius>& args, const Index3& p) {
  return {args.eta_x[p.x] + args.eta_y[p.y] + args.eta_z[p.z], args.eta_x[p.x + 1] - args.eta_x[p.x - 1],
          args.eta_y[p.y + 1] - args.eta_y[p.y - 1], args.eta_z[p.z + 1] - args.eta_z[p.z - 1]};
}

/// Coefficients of the formula at a point, from its η. A shape whose points keep their η may keep these too.
template <class Real>
struct Damping {
  Real minus_eta2;    ///< −η²
  Real inverse_2eta;  ///< 1 / (1 + 2η)
  Real minus_loss;    ///< 1 / (1 + η + α) − 1, which rounds less than the sum
  static MINIMOD_HD Damping of(Real eta, Real alpha) {
    const Real decay = eta + alpha;
    return {-(eta * eta), reciprocal_from_one(fused(Real(2), eta, Real(1))),
            -decay * reciprocal_from_one(Real(1) + decay)};
  }
};

/// (η₊ − η₋) / (4h²) along each axis.
template <class Real>
struct EtaGradient {
  Real x, y, z;
  template <int Radius>
  static MINIMOD_HD EtaGradient of(const WaveArgs<Real, Radius>& args, const EtaValues<Real>& eta) {
    return {args.gradient_x * eta.dx, args.gradient_y * eta.dy, args.gradient_z * eta.dz};
  }
};

/// η of a point: from the profiles, unless a family has it elsewhere.
template <class Point>
MINIMOD_HD inline auto eta_of(const Point& point) {
  if constexpr (requires { point.eta(); }) {
    return point.eta();
  } else {
    return eta_of_profiles(point.args(), point.at());
  }
}

/// The parts of the wave equation's formulas that are the same: their arrays, of which u_next may be the
/// storage of u_before, and φ is written where it was read; and that a point is computed from the star of u
/// around it. Formula::finish<Of> goes on from the values of that; `Of` has the numbers of u_before, u_next
/// and phi, which an equation of several wavefields has for each.
template <class Formula, class RealType, int Radius>
struct WaveEquation {
  using Real = RealType;
  using Args = WaveArgs<Real, Radius>;
  static constexpr int radius = Radius;
  static constexpr bool is_read_only = false;
  enum Array : int { u, u_before, v2dt2, u_next, phi };
  using Elsewhere = ArrayList<phi>;
  using Beside = ArrayList<u>;
  using BesideInPlane = ArrayList<u>;
  using AtPoint = ArrayList<u_before, v2dt2>;

  template <int>
  using Value = Real;
  static MINIMOD_HD constexpr Reach reach(int array) {
    constexpr Index3 far{Radius, Radius, Radius};
    return array == u ? Reach{far, far} : Reach{};
  }
  static MINIMOD_HD constexpr bool is_star(int) { return true; }
  template <int Array>
  static MINIMOD_HD auto* data(const Args& args) {
    if constexpr (Array == u) return args.u;
    if constexpr (Array == u_before) return args.u_before;
    if constexpr (Array == v2dt2) return args.v2dt2;
    if constexpr (Array == u_next) return args.u_next;
    if constexpr (Array == phi) return args.phi;
  }
  template <int Array>
  static MINIMOD_HD const Layout& layout(const Args& args) {
    if constexpr (Array == phi) {
      return args.phi_layout;
    } else {
      return args.layout;
    }
  }
  template <class Point>
  static MINIMOD_HD void compute(const Point& point) {
    Formula::finish(point, evaluate(point.args().weights, StarOf<Point, u>{point}));
  }
};

/// u⁺ = u + [(u − u⁻) + (V Δt)² ∇²ₕu].
template <class RealType, int Radius = stencil_radius>
struct InnerUpdate : WaveEquation<InnerUpdate<RealType, Radius>, RealType, Radius> {
  using Real = RealType;
  using Wave = WaveEquation<InnerUpdate, Real, Radius>;
  using typename Wave::Args;
  using Outputs = ArrayList<Wave::u_next>;
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

  template <class Of = Wave, class Point>
  static MINIMOD_HD void finish(const Point& point, const StarValues<Real>& s) {
    const auto own = point.place();
    own.template store<Of::u_next>(
        next(s, own.template load<Wave::v2dt2>(), own.template load<Of::u_before>()));
  }
};

/// u⁺ = u + [(u − u⁻) − η²u + (V Δt)² (∇²ₕu + φ)] / (1 + 2η) with the old φ, then
/// φ⁺ = [φ − Σ (η₊ − η₋)(u₊ − u₋) / (4h²)] / (1 + η + α), η the sum of the three axes' profiles.
template <class RealType, int Radius = stencil_radius>
struct PmlUpdate : WaveEquation<PmlUpdate<RealType, Radius>, RealType, Radius> {
  using Real = RealType;
  using Wave = WaveEquation<PmlUpdate, Real, Radius>;
  using typename Wave::Args;
  using Outputs = ArrayList<Wave::u_next, Wave::phi>;
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

  template <class Of = Wave, class Point>
  static MINIMOD_HD void finish(const Point& point, const StarValues<Real>& s) {
    const Args& args = point.args();
    const EtaValues<Real> eta = eta_of(point);
    const auto own = point.place();
    // Before the loads: behind them they cost registers, and with them a quarter of a GPU's threads.
    const Damping<Real> damping = Damping<Real>::of(eta.eta, args.alpha);
    const EtaGradient<Real> gradient = EtaGradient<Real>::of(args, eta);
    // All before the first store: a load behind the store of another field waits for it.
    PointFields<Real> fields{own.template load<Of::u_before>(), own.template load<Wave::v2dt2>(),
                             own.template load<Of::phi>()};
    advance(args, point.at(), fields, s, damping, gradient);
    own.template store<Of::u_next>(fields.u_next);
    own.template store<Of::phi>(fields.phi);
  }
};

/// Both behind a conditional at every point, for launches over the whole grid: InnerUpdate in args.inner (or
/// nothing, when the inner box has a launch of its own), PmlUpdate around it.
template <class RealType, int Radius = stencil_radius>
struct MixedUpdate : WaveEquation<MixedUpdate<RealType, Radius>, RealType, Radius> {
  using Real = RealType;
  using Wave = WaveEquation<MixedUpdate, Real, Radius>;
  using typename Wave::Args;
  using Outputs = typename PmlUpdate<Real, Radius>::Outputs;
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

  template <class Of = Wave, class Point>
  static MINIMOD_HD void finish(const Point& point, const StarValues<Real>& s) {
    const Args& args = point.args();
    if (!args.inner.contains(point.at())) {
      PmlUpdate<Real, Radius>::template finish<Of>(point, s);
    } else if (args.updates_inner) {
      InnerUpdate<Real, Radius>::template finish<Of>(point, s);
    }
  }
};

/// The update of a point whose star a family has summed in its own way.
template <class Update>
MINIMOD_HD inline void finish_point(const typename Update::Args& args, const Index3& p,
                                    const StarValues<typename Update::Real>& s) {
  Update::finish(OwnPoint<Update>{{args, NoBlock()}, p}, s);
}

/// A point of a family that is written for one star: what it has staged of u is `star`, and all else comes
/// from memory.
template <class Update, class Star>
MINIMOD_HD inline void update_point(const typename Update::Args& args, const Index3& p, const Star& star) {
  finish_point<Update>(args, p, evaluate(args.weights, star));
}

}  // namespace minimod
