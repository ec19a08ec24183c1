/// A user's shot in a homogeneous medium, and the traces that it must record.
#pragma once

#include <vector>

#include "kernels/grid.hpp"

namespace minimod {

/// A medium, and a Ricker wavelet in it.
struct HomogeneousShot {
  double velocity = 2000;           ///< m/s
  double frequency = 10, t0 = .15;  ///< frequency and delay of the wavelet, Hz, s
  Point3 source;                    ///< m

  /// s(t − r/V) / (4πr) at a position (m) and times (s).
  [[nodiscard]] std::vector<double> trace(Point3 receiver, const std::vector<double>& times) const;
  /// The same under a free surface at z = 0: less that of a source as far above it.
  [[nodiscard]] std::vector<double> trace_under_surface(Point3 receiver,
                                                        const std::vector<double>& times) const;
};

/// m.
[[nodiscard]] double distance(Point3 a, Point3 b);

}  // namespace minimod
