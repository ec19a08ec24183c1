/// The PML's transposed formulas, point by point. With A = 1 / (1 + 2η), C = 1 / (1 + η + α) and â = A p:
///
///     p⁻ = [2â − â⁺ + (V Δt)² ∇²ₕâ] + (2η − η²) â + (V Δt)² Σ_d ∂_d(g_d μ),   μ ← C (â + μ) behind it,
///
/// g_d = (η₊ − η₋) / (4h²) along axis d, ∂_d the difference of the two neighbours. The bracket is the inner
/// formula's, of fields that were made â, and â⁺ less the other terms, before it. ∂_d(g_d μ) takes the place
/// of φ, whose transpose μ is.
#pragma once

#include "boundary/adjoint/drive.hpp"

namespace minimod {

/// Profiles along the axes, of the points of the grid: η, and its difference over 4h².
template <class Real>
struct PmlProfiles {
  const Real* eta[3] = {};
  const Real* slope[3] = {};
  MINIMOD_HD Real damping(const Index3& p) const { return eta[0][p.x] + eta[1][p.y] + eta[2][p.z]; }
};

/// All of a point before the launches: p becomes â, p⁺ loses what the layer adds to p⁻, and μ of a step
/// earlier is made. Also at the points beside the layer, which have terms, but no â and no μ of their own.
template <class Real>
struct PmlAdjointPoint {
  PmlProfiles<Real> profiles;
  Layout layout, memory;
  Extent3 n;
  Box3 inner;  ///< inner box of the layer
  Real alpha = 0;
  Real* p = nullptr;
  const Real* v2dt2 = nullptr;
  const Real* mu = nullptr;
  Real* mu_earlier = nullptr;
  Real* p_later = nullptr;

  /// g μ of an axis at a point, none outside of the grid.
  MINIMOD_HD Real flow(int axis, int i, const Index3& at) const {
    const bool is_inside = at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < n.x && at.y < n.y && at.z < n.z;
    return is_inside ? profiles.slope[axis][i] * mu[memory.index(at.x, at.y, at.z)] : Real(0);
  }
  MINIMOD_HD void operator()(const Index3& c) const {
    const Real driven = flow(0, c.x + 1, {c.x + 1, c.y, c.z}) - flow(0, c.x - 1, {c.x - 1, c.y, c.z}) +
                        flow(1, c.y + 1, {c.x, c.y + 1, c.z}) - flow(1, c.y - 1, {c.x, c.y - 1, c.z}) +
                        flow(2, c.z + 1, {c.x, c.y, c.z + 1}) - flow(2, c.z - 1, {c.x, c.y, c.z - 1});
    const Real eta = profiles.damping(c);
    const std::int64_t at = layout.index(c.x, c.y, c.z);
    const Real damped = p[at] * (Real(1) / (Real(1) + 2 * eta));
    p_later[at] -= (2 - eta) * eta * damped + v2dt2[at] * driven;
    if (inner.contains(c)) return;
    const std::int64_t own = memory.index(c.x, c.y, c.z);
    p[at] = damped;
    mu_earlier[own] = (damped + mu[own]) / (Real(1) + eta + alpha);
  }
};

/// The drive of the PML's own formula; `eta`: profiles with a ghost value at either end.
template <class Real>
struct PmlDrive : DrivePoint<Real> {
  const Real* eta[3] = {};
  struct Taken {
    StepValues<Real> at;
    Real eta;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    return {this->step.at(p), eta[0][p.x + 1] + eta[1][p.y + 1] + eta[2][p.z + 1]};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& taken) const {
    const auto& [u, u_before, u_earlier] = taken.at;
    const Real sum = taken.eta, factor = Real(1) / (Real(1) + 2 * sum);
    const Real left = factor * ((u_before - u_earlier) - sum * sum * u_before);
    this->put_drive(p, (u - u_before) - left);
  }
};

}  // namespace minimod
