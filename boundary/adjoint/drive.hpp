/// The drive of a step: u⁺ less what u and u⁻ alone would make of it, which is (V Δt)² times all that this
/// multiplies, sources included. The derivative of u⁺ by (V Δt)² is the drive over (V Δt)², so that Born's
/// approximation and gradients need nothing else of a step.
#pragma once

#include "kernels/grid.hpp"
#include "src/base/precision.hpp"

namespace minimod {

/// An array for the drive, with a layout of its own.
struct DriveField {
  RealsAt values;
  Layout layout;
  RealsAt before = {};  ///< the array for the step before, whose drive ends where this one begins; or none
};

/// The layout of such an array over all points, x fastest.
[[nodiscard]] inline Layout packed_layout(Extent3 n) {
  return {0, n.x, std::int64_t{n.x} * n.y};
}

/// A point's fields.
template <class Real>
struct DrivePoint {
  Layout layout, drive_layout;
  const Real* u = nullptr;
  const Real* u_before = nullptr;
  Real* drive = nullptr;
  Real* drive_before = nullptr;
  /// −(u⁺ − u) without a drive, of a factor of u and one of the whole; and the end of the drive before.
  MINIMOD_HD void withdraw(const Index3& p, Real eta2, Real factor) const {
    const std::int64_t at = layout.index(p.x, p.y, p.z), i = drive_layout.index(p.x, p.y, p.z);
    const Real change = u[at] - u_before[at];
    if (drive_before != nullptr) drive_before[i] += change;
    drive[i] = -(factor * (change - eta2 * u[at]));
  }
};

/// The beginning of a drive of the inner formula.
template <class Real>
struct InnerWithdrawal {
  DrivePoint<Real> point;
  MINIMOD_HD void operator()(const Index3& p) const { point.withdraw(p, 0, 1); }
};

/// Behind the step, whose u is u_before now and whose u⁺ is u.
template <class Real>
struct Drive {
  DrivePoint<Real> point;
  MINIMOD_HD void operator()(const Index3& p) const {
    const std::int64_t at = point.layout.index(p.x, p.y, p.z);
    point.drive[point.drive_layout.index(p.x, p.y, p.z)] += point.u[at] - point.u_before[at];
  }
};

/// Adds p times the drive of a step to the sum of each point, which lies as the drive does.
template <class Real>
struct Correlation {
  DrivePoint<Real> point;  ///< u is p
  double* sum = nullptr;
  MINIMOD_HD void operator()(const Index3& at) const {
    const std::int64_t i = point.drive_layout.index(at.x, at.y, at.z);
    sum[i] += static_cast<double>(point.u[point.layout.index(at.x, at.y, at.z)]) * point.drive[i];
  }
};

/// Adds p times the drive and the squares of both to three sums of each point, in one sweep.
template <class Real>
struct Illumination {
  DrivePoint<Real> point;  ///< u is p
  double* product = nullptr;
  Real* of_drive = nullptr;
  Real* of_p = nullptr;
  MINIMOD_HD void operator()(const Index3& at) const {
    const std::int64_t i = point.drive_layout.index(at.x, at.y, at.z);
    const Real p = point.u[point.layout.index(at.x, at.y, at.z)], drive = point.drive[i];
    product[i] += static_cast<double>(p) * drive;
    of_drive[i] += drive * drive;
    of_p[i] += p * p;
  }
};

/// Adds to u a ratio's share of the drive: what a change of (V Δt)² by that ratio scatters.
template <class Real>
struct Scattering {
  Layout layout, drive_layout;
  Real* u = nullptr;
  const Real* drive = nullptr;
  const Real* ratio = nullptr;  ///< in the layout of the drive
  MINIMOD_HD void operator()(const Index3& p) const {
    const std::int64_t at = drive_layout.index(p.x, p.y, p.z);
    u[layout.index(p.x, p.y, p.z)] += ratio[at] * drive[at];
  }
};

}  // namespace minimod
