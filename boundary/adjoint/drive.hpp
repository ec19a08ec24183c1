/// The drive of a step: u⁺ less what u and u⁻ alone would make of it, which is (V Δt)² times all that this
/// multiplies, sources included. The derivative of u⁺ by (V Δt)² is the drive over (V Δt)², so that Born's
/// approximation and gradients need nothing else of a step.
#pragma once

#include <variant>

#include "kernels/grid.hpp"
#include "src/base/precision.hpp"

namespace minimod {

/// An array for the drive, with a layout of its own.
struct DriveField {
  RealsAt values;
  Layout layout;
};

/// u behind a step, before it, and a step earlier, of which its drive is made.
struct StepFields {
  RealsAt u, u_before, u_earlier;
  Layout layout;
};

/// The drive of a step at the points of a box: in an array, or as the inner formula makes it of fields.
struct DriveWithin {
  std::variant<DriveField, StepFields> drive;
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

/// u at a point behind a step, before it, and a step earlier.
template <class Real>
struct StepValues {
  Real u, u_before, u_earlier;
  /// The drive of the inner formula.
  [[nodiscard]] MINIMOD_HD Real drive() const { return (u - u_before) - (u_before - u_earlier); }
};

template <class Real>
struct StepAt {
  Layout layout;
  const Real *u = nullptr, *u_before = nullptr, *u_earlier = nullptr;
  [[nodiscard]] MINIMOD_HD StepValues<Real> at(const Index3& p) const {
    const std::int64_t i = layout.index(p.x, p.y, p.z);
    return {u[i], u_before[i], u_earlier[i]};
  }
};

template <class Real>
[[nodiscard]] StepAt<Real> step_at(const StepFields& of) {
  return {of.layout, of.u.of<Real>(), of.u_before.of<Real>(), of.u_earlier.of<Real>()};
}

/// The fields of a step, and where its drive goes.
template <class Real>
struct DrivePoint {
  StepAt<Real> step;
  Layout layout;
  Real* drive = nullptr;
  MINIMOD_HD void put_drive(const Index3& p, Real value) const { drive[layout.index(p.x, p.y, p.z)] = value; }
};

template <class Real>
[[nodiscard]] DrivePoint<Real> drive_point(const StepFields& step, const DriveField& drive) {
  return {step_at<Real>(step), drive.layout, drive.values.of<Real>()};
}

/// The drive of the inner formula.
template <class Real>
struct InnerDrive : DrivePoint<Real> {
  [[nodiscard]] MINIMOD_HD StepValues<Real> take(const Index3& p) const { return this->step.at(p); }
  MINIMOD_HD void put(const Index3& p, const StepValues<Real>& at) const { this->put_drive(p, at.drive()); }
};

/// A point's drive where it is used: as it is kept, or made of the fields of its step.
template <class Real>
struct DriveInUse {
  Layout layout;
  const Real* drive = nullptr;  ///< null: made
  StepAt<Real> step;

  using Taken = StepValues<Real>;
  [[nodiscard]] MINIMOD_HD Taken take(const Index3& p) const {
    if (drive == nullptr) return step.at(p);
    return {drive[layout.index(p.x, p.y, p.z)], 0, 0};  // a step with that drive
  }
};

template <class Real>
[[nodiscard]] DriveInUse<Real> drive_in_use(const DriveWithin& of) {
  DriveInUse<Real> in_use;
  if (const auto* const kept = std::get_if<DriveField>(&of.drive)) {
    in_use.layout = kept->layout;
    in_use.drive = kept->values.of<Real>();
  } else {
    in_use.step = step_at<Real>(std::get<StepFields>(of.drive));
  }
  return in_use;
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
    sum[sum_layout.index(at.x, at.y, at.z)] = of.sum + static_cast<double>(of.p) * of.drive.drive();
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
    const Real value = of.drive.drive();
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
