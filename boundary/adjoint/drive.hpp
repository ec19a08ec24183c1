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

/// u behind a step and before it.
struct StepFields {
  RealsAt u, u_before;
  Layout layout;
};

/// The part of such an array at the points of a box.
struct DriveWithin {
  DriveField drive;
  Box3 box;
  StepFields ended_by = {};  ///< fields of its step where that has yet to end the drive; or none
};

/// The layout of such an array over all points, x fastest.
[[nodiscard]] inline Layout packed_layout(Extent3 n) {
  return {0, n.x, std::int64_t{n.x} * n.y};
}

/// Work in two parts: a GPU reads several points (`take`) before it computes and stores any of them (`put`),
/// so that as many reads are under way at once.
template <class Work>
concept TakesBefore = requires(const Work& work, const Index3& p) {
  work.put(p, work.take(p));
};

/// A point's fields.
template <class Real>
struct DrivePoint {
  Layout layout, drive_layout;
  const Real* u = nullptr;
  const Real* u_before = nullptr;
  Real* drive = nullptr;
  Real* drive_before = nullptr;

  [[nodiscard]] MINIMOD_HD std::int64_t in_drive(const Index3& p) const {
    return drive_layout.index(p.x, p.y, p.z);
  }
  [[nodiscard]] MINIMOD_HD Real u_at(const Index3& p) const { return u[layout.index(p.x, p.y, p.z)]; }
  [[nodiscard]] MINIMOD_HD Real u_before_at(const Index3& p) const {
    return u_before[layout.index(p.x, p.y, p.z)];
  }
};

/// The beginning of a drive: −(u⁺ − u) without a drive, of a factor of u and one of the whole; and the end of
/// the drive before.
template <class Real>
struct Withdrawal {
  DrivePoint<Real> point;
  struct Taken {
    Real u, u_before, drive_before, eta2, factor;
  };
  [[nodiscard]] MINIMOD_HD Taken take_with(const Index3& p, Real eta2, Real factor) const {
    const Real before = point.drive_before != nullptr ? point.drive_before[point.in_drive(p)] : Real(0);
    return {point.u_at(p), point.u_before_at(p), before, eta2, factor};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& at) const {
    const Real change = at.u - at.u_before;
    const std::int64_t i = point.in_drive(p);
    if (point.drive_before != nullptr) point.drive_before[i] = at.drive_before + change;
    point.drive[i] = -(at.factor * (change - at.eta2 * at.u));
  }
};

/// The beginning of a drive of the inner formula.
template <class Real>
struct InnerWithdrawal : Withdrawal<Real> {
  [[nodiscard]] MINIMOD_HD auto take(const Index3& p) const { return this->take_with(p, 0, 1); }
};

/// Behind the step, whose u is u_before now and whose u⁺ is u.
template <class Real>
struct Drive {
  DrivePoint<Real> point;
  struct Taken {
    Real drive, u, u_before;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    return {point.drive[point.in_drive(p)], point.u_at(p), point.u_before_at(p)};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& at) const {
    point.drive[point.in_drive(p)] = at.drive + (at.u - at.u_before);
  }
};

/// A point's drive where it is used: as it has ended, or ends by the fields of its step.
template <class Real>
struct DriveInUse {
  Layout layout, step_layout;
  const Real *drive = nullptr, *u = nullptr, *u_before = nullptr;

  struct Taken {
    Real drive, u, u_before;
    [[nodiscard]] MINIMOD_HD Real value() const { return drive + (u - u_before); }
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    const Real begun = drive[layout.index(p.x, p.y, p.z)];
    if (u == nullptr) return {begun, 0, 0};
    const std::int64_t i = step_layout.index(p.x, p.y, p.z);
    return {begun, u[i], u_before[i]};
  }
};

template <class Real>
[[nodiscard]] DriveInUse<Real> drive_in_use(const DriveWithin& of) {
  const auto& [u, u_before, layout] = of.ended_by;
  return {of.drive.layout, layout, of.drive.values.of<Real>(), u.of<Real>(), u_before.of<Real>()};
}

/// Adds p times the drive of a step to the sum of each point.
template <class Real>
struct Correlation {
  Layout layout, sum_layout;
  const Real* p = nullptr;
  DriveInUse<Real> drive;
  double* sum = nullptr;
  struct Taken {
    double sum;
    Real p;
    typename DriveInUse<Real>::Taken drive;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& at) const {
    return {sum[sum_layout.index(at.x, at.y, at.z)], p[layout.index(at.x, at.y, at.z)], drive.take(at)};
  }
  MINIMOD_HD void put(const Index3& at, const Taken& of) const {
    sum[sum_layout.index(at.x, at.y, at.z)] = of.sum + static_cast<double>(of.p) * of.drive.value();
  }
};

/// Adds p times the drive and the squares of both to three sums of each point, in one sweep.
template <class Real>
struct Illumination {
  Layout layout, sum_layout;
  const Real* p = nullptr;
  DriveInUse<Real> drive;
  double* product = nullptr;
  Real* of_drive = nullptr;
  Real* of_p = nullptr;
  struct Taken {
    double product;
    Real of_drive, of_p, p;
    typename DriveInUse<Real>::Taken drive;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& at) const {
    const std::int64_t i = sum_layout.index(at.x, at.y, at.z);
    return {product[i], of_drive[i], of_p[i], p[layout.index(at.x, at.y, at.z)], drive.take(at)};
  }
  MINIMOD_HD void put(const Index3& at, const Taken& of) const {
    const std::int64_t i = sum_layout.index(at.x, at.y, at.z);
    const Real value = of.drive.value();
    product[i] = of.product + static_cast<double>(of.p) * value;
    of_drive[i] = of.of_drive + value * value;
    of_p[i] = of.of_p + of.p * of.p;
  }
};

/// Adds to u a ratio's share of the drive: what a change of (V Δt)² by that ratio scatters.
template <class Real>
struct Scattering {
  Layout layout, drive_layout;
  Real* u = nullptr;
  const Real* drive = nullptr;
  const Real* ratio = nullptr;  ///< in the layout of the drive
  struct Taken {
    Real u, ratio, drive;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    const std::int64_t i = drive_layout.index(p.x, p.y, p.z);
    return {u[layout.index(p.x, p.y, p.z)], ratio[i], drive[i]};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& at) const {
    u[layout.index(p.x, p.y, p.z)] = at.u + at.ratio * at.drive;
  }
};

}  // namespace minimod
