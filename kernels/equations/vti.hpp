/// Acoustic waves in a medium with a vertical axis of symmetry, after Duveneck et al. 2008 (SEG Technical
/// Program Expanded Abstracts 27, 2186–2190): Hooke's law with V_S = 0, two wavefields, the horizontal stress
/// p and the vertical stress q,
///   p_tt = V² [ (1 + 2ε) (∂xx + ∂yy) p + √(1 + 2δ) ∂zz q ],
///   q_tt = V² [ √(1 + 2δ) (∂xx + ∂yy) p + ∂zz q ],
/// V along the axis, Thomsen's ε ≥ δ, else some waves grow. The differences are those of the star, axis by
/// axis; each wavefield takes its step by a formula of update.hpp.
#pragma once

#include "kernels/update.hpp"

namespace minimod {

/// u, u_before, u_next and phi are those of p.
template <class Real, int Radius = stencil_radius>
struct VtiArgs : WaveArgs<Real, Radius> {
  const Real* q = nullptr;
  const Real* q_before = nullptr;
  Real* q_next = nullptr;
  Real* q_phi = nullptr;
  const Real* horizontal = nullptr;  ///< 1 + 2ε
  const Real* coupling = nullptr;    ///< √(1 + 2δ)

  using Wave = WaveArgs<Real, Radius>;
  VtiArgs() = default;
  explicit VtiArgs(const Wave& wave) : Wave(wave) {}
  VtiArgs(const LaunchArgs& given, const typename Wave::Constants& constants)
      : Wave(given, constants),
        q(static_cast<const Real*>(given.q)),
        q_before(static_cast<const Real*>(given.q_before)),
        q_next(static_cast<Real*>(given.q_next)),
        q_phi(static_cast<Real*>(given.q_phi)),
        horizontal(static_cast<const Real*>(given.media[0])),
        coupling(static_cast<const Real*>(given.media[1])) {}
};

/// `Formula`: InnerUpdate, PmlUpdate or MixedUpdate.
template <class Formula>
struct Vti {
  using Real = typename Formula::Real;
  static constexpr int radius = Formula::radius;
  using Args = VtiArgs<Real, radius>;
  static constexpr bool is_read_only = false;
  static constexpr bool damps = Formula::damps;
  // By number: of an enumerator that a formula gives, nvcc tells the host's compiler none.
  enum Array : int { p = 0, q = 5, q_before, q_next, q_phi, horizontal, coupling };
  static_assert(p == int{Formula::u} && q == int{Formula::phi} + 1);
  using Elsewhere = ArrayList<Formula::phi, q_phi>;
  using Beside = ArrayList<p, q>;
  using BesideInPlane = ArrayList<p>;
  using AtPoint = ArrayList<Formula::u_before, Formula::v2dt2, q_before, horizontal, coupling>;
  using Outputs = std::conditional_t<damps, ArrayList<Formula::u_next, Formula::phi, q_next, q_phi>,
                                     ArrayList<Formula::u_next, q_next>>;

  template <int>
  using Value = Real;
  static MINIMOD_HD constexpr Reach reach(int array) {
    if (array == p) return {{radius, radius, 0}, {radius, radius, 0}};
    if (array == q) return {{0, 0, radius}, {0, 0, radius}};
    return {};
  }
  static MINIMOD_HD constexpr bool is_star(int) { return true; }
  template <int Array>
  static MINIMOD_HD auto* data(const Args& args) {
    if constexpr (Array == q) return args.q;
    if constexpr (Array == q_before) return args.q_before;
    if constexpr (Array == q_next) return args.q_next;
    if constexpr (Array == q_phi) return args.q_phi;
    if constexpr (Array == horizontal) return args.horizontal;
    if constexpr (Array == coupling) return args.coupling;
    if constexpr (Array < q) return Formula::template data<Array>(args);
  }
  template <int Array>
  static MINIMOD_HD const Layout& layout(const Args& args) {
    if constexpr (Array == q_phi) {
      return args.phi_layout;
    } else if constexpr (Array < q) {
      return Formula::template layout<Array>(args);
    } else {
      return args.layout;
    }
  }

  template <class Point>
  static MINIMOD_HD MINIMOD_INLINE void compute(const Point& point) {
    const auto& w = point.args().weights;
    const StarOf<Point, p> ps{point};
    const StarOf<Point, q> qs{point};
    const Real p_here = ps.x(0), q_here = qs.z(0);
    const auto bend = [](Real lower, Real here, Real upper) { return (lower - here) + (upper - here); };
    Real across = 0, down = 0;
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 2; --m) across = fused(w.y[m - 1], bend(ps.y(-m), p_here, ps.y(m)), across);
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 2; --m) across = fused(w.x[m - 1], bend(ps.x(-m), p_here, ps.x(m)), across);
    across = fused(w.y[0], bend(ps.y(-1), p_here, ps.y(1)), across);
    across = fused(w.x[0], bend(ps.x(-1), p_here, ps.x(1)), across);
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 1; --m) down = fused(w.z[m - 1], bend(qs.z(-m), q_here, qs.z(m)), down);

    const Real h = point.template load<horizontal>(), c = point.template load<coupling>();
    StarValues<Real> of_p{p_here, fused(h, across, c * down), 0, 0, 0};
    StarValues<Real> of_q{q_here, fused(c, across, down), 0, 0, 0};
    if constexpr (damps) {
      const Real dx = ps.x(1) - ps.x(-1), dy = ps.y(1) - ps.y(-1), dz = qs.z(1) - qs.z(-1);
      of_p.dx = h * dx, of_p.dy = h * dy, of_p.dz = c * dz;
      of_q.dx = c * dx, of_q.dy = c * dy, of_q.dz = dz;
    }
    Formula::finish(point, of_p);
    Formula::template finish<OfQ>(point, of_q);
  }

 private:
  /// The fields of q for the formula.
  struct OfQ {
    static constexpr int u_before = q_before, u_next = q_next, phi = q_phi;
  };
};

}  // namespace minimod
