/// Acoustic waves where the density varies, 1/(ρV²) p_tt = ∇·(1/ρ ∇p) + s, of order 2R in space: another star
/// for the formulas of update.hpp. Along each axis, with b = 1/ρ and the weights w of the star without
/// density,
///   Σ_m w_m [ b(i + m/2) (p(i+m) − p(i)) + b(i − m/2) (p(i−m) − p(i)) ].
/// Term m is δ b δ p of central differences over m h, whose error has even powers of m h alone; the weights
/// cancel them as they do those of δ δ p. For constant ρ the sum is the star's to rounding; it is symmetric,
/// hence reciprocal. Needed are b at the nodes (even m) and at half nodes along each axis (odd m), which
/// density_medium.hpp makes of ρ at the nodes; pressure and density on one grid, after Luo & Schuster 1990
/// (Geophysical Research Letters 17(2), 155–158).
#pragma once

#include "kernels/update.hpp"

namespace minimod {

/// b half-way to the point that is m away along an axis. b(0, n): at the node n points away, b(1, n): half a
/// spacing behind it.
template <class B>
MINIMOD_HD MINIMOD_INLINE auto half_way(const B& b, int m) {
  return m % 2 == 0 ? b(0, m / 2) : b(1, (m - 1) / 2);
}
/// The flow to a point, where p is `here`, from those that are m away on both sides along an axis; p(n): p n
/// points away.
template <class P, class B, class Value>
MINIMOD_HD MINIMOD_INLINE Value flow_from(const P& p, const B& b, const Value& here, int m) {
  const Value below = half_way(b, -m) * (p(-m) - here);
  return fused(half_way(b, m), p(m) - here, below);
}

/// `v2dt2` is ρ (V Δt)², kg/m.
template <class Real, int Radius = stencil_radius>
struct DensityArgs : WaveArgs<Real, Radius> {
  const Real* buoyancy = nullptr;    ///< b = 1/ρ at the nodes, m³/kg, in the layout of u
  const Real* buoyancy_x = nullptr;  ///< the same half a spacing behind the nodes along x
  const Real* buoyancy_y = nullptr;
  const Real* buoyancy_z = nullptr;

  using Wave = WaveArgs<Real, Radius>;
  DensityArgs() = default;
  explicit DensityArgs(const Wave& wave) : Wave(wave) {}
  DensityArgs(const LaunchArgs& given, const typename Wave::Constants& constants)
      : Wave(given, constants),
        buoyancy(static_cast<const Real*>(given.media[0])),
        buoyancy_x(static_cast<const Real*>(given.media[1])),
        buoyancy_y(static_cast<const Real*>(given.media[2])),
        buoyancy_z(static_cast<const Real*>(given.media[3])) {}
};

/// `Formula`: InnerUpdate, PmlUpdate or MixedUpdate. In a layer φ decays by b ∇η·∇p, as 1/s ∇·(b/s ∇p) with
/// s = 1 + η/(iω) asks for.
template <class Formula>
struct Density {
  using Real = typename Formula::Real;
  static constexpr int radius = Formula::radius;
  using Args = DensityArgs<Real, radius>;
  static constexpr bool is_read_only = false;
  static constexpr bool damps = Formula::damps;
  enum Array : int { u = 0, b = 5, b_x, b_y, b_z };  // by number, as in vti.hpp
  static_assert(u == int{Formula::u} && b == int{Formula::phi} + 1);
  using Elsewhere = typename Formula::Elsewhere;
  using Beside =
      std::conditional_t<(radius > 1), ArrayList<u, b, b_x, b_y, b_z>, ArrayList<u, b_x, b_y, b_z>>;
  using BesideInPlane = std::conditional_t<(radius > 1), ArrayList<u, b, b_x, b_y>, ArrayList<u, b_x, b_y>>;
  using AtPoint = std::conditional_t<(damps && radius == 1), ArrayList<Formula::u_before, Formula::v2dt2, b>,
                                     typename Formula::AtPoint>;
  using Outputs = typename Formula::Outputs;

  template <int>
  using Value = Real;
  static MINIMOD_HD constexpr Reach reach(int array) {
    constexpr int node = radius / 2, lower = (radius + 1) / 2, upper = (radius - 1) / 2;
    switch (array) {
      case b:
        return {{node, node, node}, {node, node, node}};
      case b_x:
        return {{lower, 0, 0}, {upper, 0, 0}};
      case b_y:
        return {{0, lower, 0}, {0, upper, 0}};
      case b_z:
        return {{0, 0, lower}, {0, 0, upper}};
      default:
        return Formula::reach(array);
    }
  }
  static MINIMOD_HD constexpr bool is_star(int) { return true; }
  template <int Array>
  static MINIMOD_HD auto* data(const Args& args) {
    if constexpr (Array == b) return args.buoyancy;
    if constexpr (Array == b_x) return args.buoyancy_x;
    if constexpr (Array == b_y) return args.buoyancy_y;
    if constexpr (Array == b_z) return args.buoyancy_z;
    if constexpr (Array < b) return Formula::template data<Array>(args);
  }
  template <int Array>
  static MINIMOD_HD const Layout& layout(const Args& args) {
    if constexpr (Array < b) {
      return Formula::template layout<Array>(args);
    } else {
      return args.layout;
    }
  }

  template <class Point>
  static MINIMOD_HD MINIMOD_INLINE void compute(const Point& point) {
    const auto& w = point.args().weights;
    const Real p = point.template load<u>();
    Real sum = 0;
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 2; --m) sum = fused(w.y[m - 1], flow<1>(point, p, m), sum);
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 2; --m) sum = fused(w.x[m - 1], flow<0>(point, p, m), sum);
    MINIMOD_UNROLL
    for (int m = w.radius; m >= 2; --m) sum = fused(w.z[m - 1], flow<2>(point, p, m), sum);
    sum = fused(w.y[0], flow<1>(point, p, 1), sum);
    sum = fused(w.x[0], flow<0>(point, p, 1), sum);
    sum = fused(w.z[0], flow<2>(point, p, 1), sum);
    if constexpr (damps) {
      const Real here = point.template load<b>();
      Formula::finish(point, StarValues<Real>{p, sum, here * across<0>(point), here * across<1>(point),
                                              here * across<2>(point)});
    } else {
      Formula::finish(point, StarValues<Real>{p, sum, 0, 0, 0});
    }
  }

 private:
  /// An array m points away along an axis.
  template <int Array, int Axis, class Point>
  static MINIMOD_HD Real along(const Point& point, int m) {
    return point.template load<Array>(Axis == 0 ? m : 0, Axis == 1 ? m : 0, Axis == 2 ? m : 0);
  }
  template <int Axis, class Point>
  static MINIMOD_HD Real flow(const Point& point, Real p, int m) {
    return flow_from([&](int n) MINIMOD_INLINED { return along<u, Axis>(point, n); },
                     [&](int k, int n) MINIMOD_INLINED {
                       if constexpr (radius != 1) {
                         if (k == 0) return along<b, Axis>(point, n);
                       }
                       return along<b_x + Axis, Axis>(point, n);
                     },
                     p, m);
  }
  template <int Axis, class Point>
  static MINIMOD_HD Real across(const Point& point) {
    return along<u, Axis>(point, 1) - along<u, Axis>(point, -1);
  }
};

}  // namespace minimod
