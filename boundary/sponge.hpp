/// The absorbing sponge of Cerjan et al. (1985): behind each step, u at both times is multiplied by a taper.
#pragma once

#include <vector>

#include "boundary/adjoint/drive.hpp"

namespace minimod {

/// The factor of each point of an axis: exp(−(0.015 m)²) for a layer of 20 points, m the depth in points from
/// the inner box; a wider or narrower layer has the same factor at its outermost point.
[[nodiscard]] std::vector<double> make_taper(int points, int low, int high);

/// Multiplies u and u⁺ at a point.
template <class Real>
struct Taper {
  Layout layout;
  Real* u = nullptr;
  Real* u_next = nullptr;
  const Real* x = nullptr;  ///< by the index along the axis
  const Real* y = nullptr;
  const Real* z = nullptr;
  MINIMOD_HD void operator()(const Index3& p) const {
    const Real factor = x[p.x] * y[p.y] * z[p.z];
    const std::int64_t at = layout.index(p.x, p.y, p.z);
    u[at] *= factor;
    u_next[at] *= factor;
  }
};

/// The drive of a step that is tapered (drive.hpp), whose u before it is tapered behind it, too.
template <class Real>
struct TaperedDrive : DrivePoint<Real> {
  const Real* x = nullptr;
  const Real* y = nullptr;
  const Real* z = nullptr;
  [[nodiscard]] MINIMOD_HD StepValues<Real> take(const Index3& p) const {
    StepValues<Real> at = this->step.at(p);
    at.u_earlier *= x[p.x] * y[p.y] * z[p.z];
    return at;
  }
  MINIMOD_HD void put(const Index3& p, const StepValues<Real>& at) const { this->put_drive(p, at.drive()); }
};

}  // namespace minimod
