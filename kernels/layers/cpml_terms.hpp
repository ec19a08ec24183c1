/// The terms of a CPML (boundary/cpml/cpml.hpp) at a point: its layers, what a step's correction by them
/// needs, and the formulas that all who compute it share.
#pragma once

#include <type_traits>

#include "kernels/equations/density.hpp"

namespace minimod {

/// Where the value i of a line along an axis stands in a field: lines abreast of each other and others.
struct LineLayout {
  std::int64_t origin = 0, along = 0, abreast = 0, other = 0;
  [[nodiscard]] MINIMOD_HD std::int64_t index(int i, int abreast_of, int other_of) const {
    return origin + i * along + abreast_of * abreast + other_of * other;
  }
};

/// Lines abreast follow each other along x; those along x themselves, along y.
MINIMOD_HD inline LineLayout lines_along(int axis, const Layout& at) {
  if (axis == 0) return {at.origin, 1, at.stride_y, at.stride_z};
  if (axis == 1) return {at.origin, at.stride_y, 1, at.stride_z};
  return {at.origin, at.stride_z, 1, at.stride_y};
}

/// A layer on one face, by indices along its axis.
struct CpmlLayer {
  int begin = 0, end = 0;                      ///< points of the layer
  int begin_corrected = 0, end_corrected = 0;  ///< with those inwards of it that ∂ψ reaches
  int begin_u = 0, end_u = 0;                  ///< points whose u the layer needs: outside of the grid u is 0
  LineLayout memory;                           ///< layout of psi and zeta, lines abreast side by side

  [[nodiscard]] MINIMOD_HD bool contains(int i) const { return i >= begin && i < end; }
  [[nodiscard]] MINIMOD_HD bool corrects(int i) const { return i >= begin_corrected && i < end_corrected; }
  [[nodiscard]] MINIMOD_HD bool needs_u(int i) const { return i >= begin_u && i < end_u; }
};

struct CpmlOfWave;

/// A step's correction by the layers across one axis, whose points and those they correct are disjoint.
/// `TermsType` has what it corrects of an equation.
template <class RealType, class TermsType = CpmlOfWave>
struct CpmlPass {
  using Real = RealType;
  using Terms = TermsType;
  Box3 box;                                          ///< lines abreast, others, layers
  int axis = 0;                                      ///< 0, 1, 2: x, y, z
  CpmlLayer layers[2];                               ///< as many as the box has
  Layout layout;                                     ///< layout of u, u_next and v2dt2
  int radius = stencil_radius;                       ///< radius of the differences
  Real first[most_radius]{}, second[most_radius]{};  ///< weights of the differences, over h and h²
  Real centre = 0;                                   ///< weight of the second difference's centre, over h²
  const Real* a = nullptr;                           ///< by the index along the axis
  const Real* b = nullptr;
  Real* psi = nullptr;
  Real* zeta = nullptr;
  const Real* u = nullptr;
  Real* u_next = nullptr;
  const Real* v2dt2 = nullptr;
  const Real* media[2] = {};  ///< arrays that the terms read beside v2dt2, as many as they say
};

/// Before a loop over a radius that the compiler does not know: GCC would write it out, up to the greatest.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define MINIMOD_ROLLED _Pragma("GCC unroll 1")
#else
#define MINIMOD_ROLLED
#endif

/// The radius of a pass: that which the compiler knows, or any.
template <int Radius, class Pass>
MINIMOD_HD constexpr int radius_of(const Pass& pass) {
  return Radius == any_radius ? pass.radius : Radius;
}

/// Calls term(m) for the distances m of a difference, written out where the compiler knows its radius.
template <int Radius, class Pass, class Term>
MINIMOD_HD MINIMOD_INLINE void for_distances(const Pass& pass, const Term& term) {
  if constexpr (Radius == any_radius) {
    MINIMOD_ROLLED
    for (int m = 1; m <= pass.radius; ++m) term(m);
  } else {
    MINIMOD_UNROLL
    for (int m = 1; m <= Radius; ++m) term(m);
  }
}

/// ∂ of a field; line(m): its value m points along the axis, or the vector of several lines abreast.
template <int Radius = stencil_radius, class Pass, class Line>
MINIMOD_HD inline auto slope(const Pass& pass, const Line& line) {
  std::decay_t<decltype(line(0))> sum{};
  for_distances<Radius>(
      pass, [&](int m) MINIMOD_INLINED { sum = fused(pass.first[m - 1], line(m) - line(-m), sum); });
  return sum;
}

/// ∂² of a field.
template <int Radius = stencil_radius, class Pass, class Line>
MINIMOD_HD inline auto curvature(const Pass& pass, const Line& line) {
  auto sum = pass.centre * line(0);
  for_distances<Radius>(
      pass, [&](int m) MINIMOD_INLINED { sum = fused(pass.second[m - 1], line(m) + line(-m), sum); });
  return sum;
}

/// Terms of waves of constant density along an axis. u(m): u that many points along it.
struct CpmlOfWave {
  static constexpr int media = 0;

  template <int Radius = stencil_radius, class Pass, class Line, class Media>
  static MINIMOD_HD MINIMOD_INLINE auto flux(const Pass& pass, const Line& u, const Media& /*medium*/) {
    return slope<Radius>(pass, u);
  }
  template <int Radius = stencil_radius, class Pass, class Line, class Media>
  static MINIMOD_HD MINIMOD_INLINE auto divergence(const Pass& pass, const Line& u, const Media& /*medium*/) {
    return curvature<Radius>(pass, u);
  }
};

/// Terms of waves of variable density (density.hpp). medium(k, m): b at the nodes (0) or half a spacing
/// behind them (1), m points along the axis.
///
/// An axis with the stretch s adds 1/s [∂(b ∂u) + ∂(1/s − 1)(c ∂u)], with c the b of the flux. Its ∂(b ∂u)
/// has b half-way to other points, ∂(c ∂u) that of the node, and where the latter is more than the former
/// waves grow in the layer: with the b of the node, in 130 steps beyond bounds where ρ is 1000 or 2700 kg/m³
/// at random. So c is the least b at the point and of all that the difference reads, and noise decays. Where
/// b is constant along the axis, as in a layered medium across the sides, that is b. Contrasts of over ten at
/// random from node to node still let noise grow, a thousandfold in some 10,000 steps, whatever c is: there
/// density_medium.hpp leaves the difference itself hardly more than none. Between thicker parts they do not.
struct CpmlOfDensity {
  static constexpr int media = 2;

  template <int Radius = stencil_radius, class Pass, class Line, class Media>
  static MINIMOD_HD MINIMOD_INLINE auto flux(const Pass& pass, const Line& u, const Media& medium) {
    auto least = medium(0, 0);
    for_distances<Radius>(pass, [&](int m) MINIMOD_INLINED {
      least = lesser(least, lesser(half_way(medium, -m), half_way(medium, m)));
    });
    return least * slope<Radius>(pass, u);
  }
  template <int Radius = stencil_radius, class Pass, class Line, class Media>
  static MINIMOD_HD MINIMOD_INLINE auto divergence(const Pass& pass, const Line& u, const Media& medium) {
    const auto here = u(0);
    std::decay_t<decltype(here)> sum{};
    for_distances<Radius>(pass, [&](int m) MINIMOD_INLINED {
      sum = fused(pass.second[m - 1], flow_from(u, medium, here, m), sum);
    });
    return sum;
  }
};

// A step of a point, which all that computes it shares: of lines u, ψ and media by the distance along the
// axis in the words of whoever has them there, and of the point's own values.

/// ψ or ζ a step later, of the flux or of the divergence + ∂ψ.
template <class Real, class Value>
MINIMOD_HD inline Value renewed(Real a, Real b, const Value& memory, const Value& met) {
  return fused(a, met, b * memory);
}

/// ∂ψ + ζ in the layer; beside it ∂ψ is all. renew_zeta(met): keeps ζ a step later and gives it.
template <int Radius = stencil_radius, class Pass, class Value, class Line, class Media, class Renew>
MINIMOD_HD MINIMOD_INLINE Value renewed_terms(const Pass& pass, const Value& of_psi, const Line& u,
                                              const Media& medium, const Renew& renew_zeta) {
  const Value of_u = Pass::Terms::template divergence<Radius>(pass, u, medium);
  return of_psi + renew_zeta(of_u + of_psi);
}

/// u⁺ with ∂ψ + ζ in it.
template <class Value>
MINIMOD_HD inline Value corrected(const Value& u_next, const Value& v2dt2, const Value& terms) {
  return fused(v2dt2, terms, u_next);
}

/// Lines abreast of a layer; the pointers stand at the first one's point 0, or where that would be.
template <class Real>
struct CpmlLines {
  const Real *u, *v2dt2;
  Real *u_next, *psi, *zeta;
  /// From a point to the next: in u and media, in v2dt2 and u_next, in psi and zeta.
  std::int64_t along_u, along, along_memory;
  int count;  ///< lines that there are
  const Real* media[2];
};

/// Lines from (abreast, other) on, in memory.
template <class Pass>
MINIMOD_INLINE MINIMOD_HD auto lines_of(const Pass& pass, int axis, const CpmlLayer& layer, int abreast,
                                        int other, int count) {
  const LineLayout field = lines_along(axis, pass.layout);
  const std::int64_t at = field.index(0, abreast, other), memory = layer.memory.index(0, abreast, other);
  CpmlLines<typename Pass::Real> lines{pass.u + at,
                                       pass.v2dt2 + at,
                                       pass.u_next + at,
                                       pass.psi + memory,
                                       pass.zeta + memory,
                                       field.along,
                                       field.along,
                                       layer.memory.along,
                                       count,
                                       {}};
  for (int k = 0; k < Pass::Terms::media; ++k) lines.media[k] = pass.media[k] + at;
  return lines;
}

}  // namespace minimod
