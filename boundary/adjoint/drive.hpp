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

/// The part of such an array at the points of a box.
struct DriveWithin {
  DriveField drive;
  Box3 box;
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

/// Adds p times the drive of a step to the sum of each point, which lies as the drive does.
template <class Real>
struct Correlation {
  DrivePoint<Real> point;  ///< u is p
  double* sum = nullptr;
  struct Taken {
    double sum;
    Real p, drive;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    const std::int64_t i = point.in_drive(p);
    return {sum[i], point.u_at(p), point.drive[i]};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& at) const {
    sum[point.in_drive(p)] = at.sum + static_cast<double>(at.p) * at.drive;
  }
};

/// Adds p times the drive and the squares of both to three sums of each point, in one sweep.
template <class Real>
struct Illumination {
  DrivePoint<Real> point;  ///< u is p
  double* product = nullptr;
  Real* of_drive = nullptr;
  Real* of_p = nullptr;
  struct Taken {
    double product;
    Real of_drive, of_p, p, drive;
  };
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    const std::int64_t i = point.in_drive(p);
    return {product[i], of_drive[i], of_p[i], point.u_at(p), point.drive[i]};
  }
  MINIMOD_HD void put(const Index3& p, const Taken& at) const {
    const std::int64_t i = point.in_drive(p);
    product[i] = at.product + static_cast<double>(at.p) * at.drive;
    of_drive[i] = at.of_drive + at.drive * at.drive;
    of_p[i] = at.of_p + at.p * at.p;
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
