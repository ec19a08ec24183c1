/// The formulas of one time step, once: `InnerUpdate` and `PmlUpdate` (design: equation 2 and the Minimod
/// form of the PML, Komatitsch & Tromp 2003 / Meng et al. 2020, arXiv 2007.06048, with the shift α that keeps
/// it stable, boundary/pml_profile.hpp). Both are written in increments: 2u − u⁻ would round at the size of u
/// what a step adds to it.
#pragma once

#include <cstring>

#include "kernels/coded_velocity.hpp"
#include "kernels/stencil.hpp"

namespace minimod {

/// What a launch is given, of any order and precision. The pointers are to the storages that the layouts
/// index, of reals of the precision that the launch was planned for: then Real is void.
template <class Real = void>
struct LaunchArgs {
  Box3 box;                        ///< the points to update
  Box3 inner;                      ///< for a launch with both formulas: where the inner one holds
  bool updates_inner = true;       ///< such a launch passes the points of `inner` over when false
  Layout layout;                   ///< of u, u_next and v2dt2
  Layout phi_layout;               ///< of phi
  const Real* u = nullptr;         ///< at tₙ
  const Real* u_before = nullptr;  ///< at tₙ₋₁; may be the storage of u_next
  Real* u_next = nullptr;          ///< at tₙ₊₁ on exit
  Real* u_second = nullptr;        ///< at tₙ₊₂ on exit, for a launch of two steps
  const Real* v2dt2 = nullptr;     ///< (V Δt)², m²
  Real* phi = nullptr;             ///< auxiliary field of the PML, met in the PML boxes only
  Real* phi_next = nullptr;        ///< the same on exit, for a launch that does not write it where it was
  const Real* eta_x = nullptr;  ///< damping along each axis, dimensionless; [-1] and [n] are the ghost nodes
  const Real* eta_y = nullptr;
  const Real* eta_z = nullptr;
  const Real* eta = nullptr;  ///< their sum as a 3-D array of the layout of u, for the shapes that stage it
  bool has_surface = false;  ///< a launch of two steps keeps u at tₙ₊₁ odd about the box's first plane z
  Box3 source;               ///< where a launch that serves the source adds to u
  const Real* source_shares = nullptr;      ///< of these points, x fastest
  const Real* source_sample = nullptr;      ///< the value that they share at tₙ₊₁; null for nothing
  const Real* source_second = nullptr;      ///< the same at tₙ₊₂, for a launch of two steps
  const std::int64_t* receivers = nullptr;  ///< whose u at tₙ a launch that serves them keeps, by index
  Real* recorded = nullptr;                 ///< these values
  int receiver_count = 0;
  const std::uint16_t* v2dt2_codes = nullptr;  ///< of v2dt2, at its indices, for the shapes that ask for it
  VelocityCode v2dt2_code;                     ///< what these mean
  void* workspace = nullptr;   ///< device memory for the launch itself, where the shape asks for some; zero
                               ///< before the launch
  unsigned* status = nullptr;  ///< set by a launch that gives up waiting for its own blocks
  /// Outermost planes along z of which a launch of two steps leaves u_second to a neighbour.
  int ghosts_above = 0, ghosts_below = 0;
  unsigned* rim_done = nullptr;  ///< to which its blocks add 1 when u_second of the rim above is stored
  int most_blocks = 0;  ///< of a launch whose blocks stay on their multiprocessors; 0: as many as fit
  Point3 spacing;       ///< of the grid, m
  StarWeights star_weights = StarWeights::taylor;
  double relaxation = 0;  ///< τ, m²: where it is not 0 the weights of the star are those of 1 + τ ∇²ₕ
  double shift = 0;       ///< by which phi decays where η is 0 (boundary/pml_profile.hpp), dimensionless

  /// The same, of the type that it is.
  template <class Other>
  [[nodiscard]] LaunchArgs<Other> as() const {
    LaunchArgs<Other> same;
    static_assert(sizeof same == sizeof *this);
    std::memcpy(static_cast<void*>(&same), this, sizeof same);
    return same;
  }
};

/// All that a kernel needs, passed by value.
template <class RealType, int Radius = stencil_radius>
struct StencilArgs : LaunchArgs<RealType> {
  RealType gradient_x = 0, gradient_y = 0, gradient_z = 0;  ///< 1 / (4h²) of each axis, 1/m²
  RealType alpha = 0;                                       ///< the shift
  StencilWeights<RealType, Radius> weights;

  StencilArgs() = default;
  /// Of a launch that was planned for this precision.
  explicit StencilArgs(const LaunchArgs<>& given, int radius = Radius)
      : LaunchArgs<RealType>(given.template as<RealType>()) {
    set_constants(given.spacing, given.shift, radius);
  }
  /// Sets what the formulas know of the grid's spacing h (m) and of the shift α of the boundary.
  void set_constants(Point3 h, double alpha_of_boundary, int radius = Radius) {
    this->spacing = h;
    this->shift = alpha_of_boundary;
    gradient_x = static_cast<RealType>(1 / (4 * h.x * h.x));
    gradient_y = static_cast<RealType>(1 / (4 * h.y * h.y));
    gradient_z = static_cast<RealType>(1 / (4 * h.z * h.z));
    alpha = static_cast<RealType>(alpha_of_boundary);
    weights = make_stencil_weights<RealType, Radius>(h, {radius, this->star_weights});
    if (this->relaxation != 0) weights = relaxed(weights, this->relaxation);
  }
};

/// Calls work.operator()<R>() of the stencil's radius R, 1 to most_radius.
template <class Work, int Radius = 1>
decltype(auto) with_radius(int radius, const Work& work) {
  if constexpr (Radius < most_radius) {
    if (radius != Radius) return with_radius<Work, Radius + 1>(radius, work);
  }
  return work.template operator()<Radius>();
}

/// Calls work.operator()<Real, R>() of a precision and a radius.
template <class Work>
decltype(auto) with_stencil(Precision precision, int radius, const Work& work) {
  return with_real(precision, [&]<class Real>() -> decltype(auto) {
    return with_radius(
        radius, [&]<int Radius>() -> decltype(auto) { return work.template operator()<Real, Radius>(); });
  });
}

/// The same for kernels that are built in: the common stencil has its own, all others share those of
/// any_radius.
template <class Work>
decltype(auto) with_built_stencil(Precision precision, int radius, const Work& work) {
  return with_real(precision, [&]<class Real>() -> decltype(auto) {
    if constexpr (is_common_stencil<Real, stencil_radius>) {
      if (radius == stencil_radius) return work.template operator()<Real, stencil_radius>();
    }
    return work.template operator()<Real, any_radius>();
  });
}

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
